// What gradient ops check of the gradient that they are given.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Fails when the gradient in operand `index` has not the shape of the result that it is for.
inline void check_slope(const OpCall& call, size_t index, const Type& result) {
  const Type slope = tensor_operand(call, index);
  if (!has_dims(slope) || !has_dims(result) || slope.dims == result.dims) return;
  call.fail("the gradient is " + to_string(slope.dims) + "; it should have the shape of the result, " +
            to_string(result.dims));
}

}  // namespace foreflow::ops
