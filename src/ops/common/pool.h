// What MaxPool and AveragePool share.
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

// The gradient of a pool that needs no more of x than its shape has that in the attribute `sizes` (spatial): the shape
// of x from that of dy, the attributes of such an op from those of the pool, and its work.
Dims pool_operand(const OpCall& call, const Dims& dy);
Attributes pool_grad_attributes(const OpCall& call);
Work pool_grad_work(const OpCall& call, std::span<const Type> outputs);

}  // namespace foreflow::ops
