#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return 1 / static_cast<double>(x); };

}  // namespace

OpDef reciprocal() {
  OpDef row   = unary<kFormula, 1>("Reciprocal", "1 / x");
  row.samples = positive_samples;
  return row;
}

}  // namespace foreflow::ops::definitions
