// Attributes that state sizes, for one part of a call (OpDef::fit_part).
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Divides the dimension of the attribute `shape` that is cut, if the attribute is given.
void fit_shape(Attributes& attributes, const OpCall& whole, std::span<const Type> outputs, const ir::PartOfCall& part);

}  // namespace foreflow::ops
