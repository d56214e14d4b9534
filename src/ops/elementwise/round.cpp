#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::round {

namespace {

constexpr auto kFormula = [](auto x) { return std::nearbyint(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 1>("Round", "nearest integer; halves go to the even one");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions::round
