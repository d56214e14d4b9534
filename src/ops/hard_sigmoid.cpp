#include <algorithm>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 0.2), beta = attributes.float_or("beta", 0.5);
  return [=](auto x) { return std::clamp(alpha * static_cast<double>(x) + beta, 0.0, 1.0); };
}

}  // namespace

OpDef hard_sigmoid() {
  OpDef row   = unary_with<formula, 4>("HardSigmoid", "max(0, min(1, alpha x + beta))");
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"alpha", 2.0}, {"beta", 0.1}}, {f32({3})}}}; };
  return row;
}

}  // namespace foreflow::ops::definitions
