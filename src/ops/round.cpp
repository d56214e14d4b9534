#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::nearbyint(x); };

}  // namespace

OpDef round() { return unary<kFormula, 1>("Round", "nearest integer; halves go to the even one"); }

}  // namespace foreflow::ops::definitions
