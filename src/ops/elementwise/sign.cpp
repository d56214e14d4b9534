#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::sign {

namespace {

constexpr auto kFormula = [](auto x) { return (x > 0) - (x < 0); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 1, Accepts::numbers>("Sign", "-1, 0 or 1");
  row.grad  = pass_no_gradient;
  return row;
}

}  // namespace foreflow::ops::definitions::sign
