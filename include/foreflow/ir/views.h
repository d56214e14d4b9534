// Ops whose results share the memory of an operand.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Whether the results of an op, no call, have memory of operand 0: all of it or parts. A Reshape and a Slice do, and a
// Transpose whose readers take it as strides (attribute `placed`).
inline bool shares_operand(const Op& op) {
  const bool placed = op.def->role == Role::view && !op.def->joins_operands && op.attributes->int_or("placed", 0) == 1;
  return op.def->aliases_operand || placed;
}

}  // namespace foreflow::ir
