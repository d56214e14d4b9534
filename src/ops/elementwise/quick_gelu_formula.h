// x * sigmoid(alpha * x): an approximation of Gelu for alpha = 1.702 (Hendrycks and Gimpel, 2016), SiLU for 1.
#pragma once

#include <cmath>

#include "ops/common/op.h"

namespace foreflow::ops {

inline double quick_gelu_alpha(const Attributes& attributes) { return attributes.float_or("alpha", 1.702); }

inline double quick_gelu_gate(double x, double alpha) { return 1 / (1 + std::exp(-alpha * x)); }

}  // namespace foreflow::ops
