#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::cos(x); };

}  // namespace

OpDef cos() { return unary<kFormula, kTranscendental>("Cos", "cosine of x"); }

}  // namespace foreflow::ops::definitions
