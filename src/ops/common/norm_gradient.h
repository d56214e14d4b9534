// The gradient of pools by the norm (sum of |x|^p)^(1/p).
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The attribute `p`, 2 when absent.
double norm_of(const OpCall& call);

// Handles of dy * y^(1-p), which is to be brought to the shape of x, and of sign(x) * |x|^(p-1), its factor there.
int norm_pull(GradBuilder& builder);
int norm_slope(GradBuilder& builder);

}  // namespace foreflow::ops
