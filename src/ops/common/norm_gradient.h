// The gradient of pools by the norm (sum of |x|^p)^(1/p).
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The attribute `p`, 2 when absent.
double norm_of(const OpCall& call);

// The gradient is dx = sign(x) * |x|^(p-1) * (dy * y^(1-p)), where the last factor is broadcast to the shape of x.
// norm_pull emits the last factor, norm_slope the others.
int norm_pull(GradBuilder& builder);
int norm_slope(GradBuilder& builder);

}  // namespace foreflow::ops
