#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::ceil(x); };

}  // namespace

OpDef ceil() {
  OpDef row = unary<kFormula, 1>("Ceil", "smallest integer not below x");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions
