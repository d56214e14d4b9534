#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::floor(x); };

}  // namespace

OpDef floor() {
  OpDef row = unary<kFormula, 1>("Floor", "largest integer not above x");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions
