// Checks of the gradient that a gradient op gets as an operand.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Fails if operand `index`, a gradient, does not have the shape of `result`, the value that it is the gradient of.
inline void check_slope(const OpCall& call, size_t index, const Type& result) {
  const Type slope = tensor_operand(call, index);
  if (!has_dims(slope) || !has_dims(result) || slope.dims == result.dims) return;
  call.fail("the gradient is " + to_string(slope.dims) + "; it should have the shape of the result, " +
            to_string(result.dims));
}

}  // namespace foreflow::ops
