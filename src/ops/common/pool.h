// Shared by MaxPool and AveragePool.
#pragma once

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/window.h"
#include "ops/common/work.h"

namespace foreflow::ops {

Window pool_window(const OpCall& call, const Dims& x);

// y[n,c,..] with one element for each position of the window.
Type infer_pool(const OpCall& call);

// Planes are pooled one by one, so n and c may be split.
Factors pool_factors(const OpCall& call);

// One operation for each tap.
Work pool_work(const OpCall& call, std::span<const Type> outputs);

// For the gradient of a pool that needs only the shape of x. Its attribute `sizes` holds the spatial dimensions of x.
// pool_operand returns the shape of x, given that of dy; pool_grad_attributes the attributes of the gradient op, given
// those of the pool.
Dims pool_operand(const OpCall& call, const Dims& dy);
Attributes pool_grad_attributes(const OpCall& call);
Work pool_grad_work(const OpCall& call, std::span<const Type> outputs);

}  // namespace foreflow::ops
