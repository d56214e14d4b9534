// Arithmetic at each place by itself.
#pragma once

#include "foreflow/ir/op_def.h"

namespace foreflow::transform {

// Every element of a result comes from the elements at its own place, operands being stretched where they have one.
bool is_elementwise(const ir::OpCall& call);

}  // namespace foreflow::transform
