// Ops whose results share the memory of an operand.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Returns true if the results of an op share the memory of operand 0, all of it or parts. Reshape and Slice do; so does
// a Transpose whose readers take it as strides (attribute `placed`). Requires: the op is no call.
inline bool shares_operand(const Op& op) {
  const bool placed = op.def->role == Role::view && !op.def->joins_operands && op.attributes->int_or("placed", 0) == 1;
  return op.def->aliases_operand || placed;
}

}  // namespace foreflow::ir
