#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::floor(x); };

}  // namespace

OpDef floor() { return unary<kFormula, 1>("Floor", "largest integer not above x"); }

}  // namespace foreflow::ops::definitions
