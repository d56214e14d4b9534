// What optimizers share: weights and gradients are tensors of the same shape, or tuples of such.
#pragma once

#include "ops/kernel.h"
#include "ops/letters.h"
#include "ops/tuples.h"
#include "ops/work.h"

namespace foreflow::ops {

inline double learning_rate(const OpCall& call, double fallback) { return call.attributes.float_or("lr", fallback); }

// The type of the updated weight: that of the first operand. Fails where a shape differs.
Type infer_update(const OpCall& call, const std::vector<Type>& operands);

// w - lr * dw.
Array descended(const OpCall& call, const Array& weight, const Array& gradient, double rate);

}  // namespace foreflow::ops
