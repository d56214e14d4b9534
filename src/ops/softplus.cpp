#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) {
  return std::max(static_cast<double>(x), 0.0) + std::log1p(std::exp(-std::fabs(x)));
};

}  // namespace

OpDef softplus() { return unary<kFormula, 2 * kTranscendental>("Softplus", "log(1 + e^x)"); }

}  // namespace foreflow::ops::definitions
