// Recognises elementwise ops.
#pragma once

#include "foreflow/ir/op_def.h"

namespace foreflow::transform {

// Returns true if every element of a result depends only on the elements of the operands at the same index. A dimension
// of size 1 is broadcast.
bool is_elementwise(const ir::OpCall& call);

}  // namespace foreflow::transform
