// Attributes that state sizes, for one part of a call (OpDef::fit_part).
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The attribute `shape`, where it is given, with the dimension that is cut as long as one part of it.
void fit_shape(Attributes& attributes, const OpCall& whole, std::span<const Type> outputs, const ir::PartOfCall& part);

}  // namespace foreflow::ops
