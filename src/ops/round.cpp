#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::nearbyint(x); };

}  // namespace

OpDef round() {
  OpDef row = unary<kFormula, 1>("Round", "nearest integer; halves go to the even one");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions
