#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::floor {

namespace {

constexpr auto kFormula = [](auto x) { return std::floor(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 1>("Floor", "largest integer not above x");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions::floor
