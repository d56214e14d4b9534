#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::ceil {

namespace {

constexpr auto kFormula = [](auto x) { return std::ceil(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 1>("Ceil", "smallest integer not below x");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions::ceil
