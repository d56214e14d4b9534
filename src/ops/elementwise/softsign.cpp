#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::softsign {

namespace {

constexpr auto kFormula = [](auto x) { return x / (1 + std::fabs(x)); };

// dx/dy = (1 + |x|)^2
constexpr auto kDivisor = [](GradBuilder& builder) {
  const int sum = emit_op(builder, "Add", {emit_number(builder, 1), emit_op(builder, "Abs", {builder.input(0)})});
  return emit_square(builder, sum);
};

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 3>("Softsign", "x / (1 + |x|)");
  row.grad  = divide_by_slope<kDivisor>;
  return row;
}

}  // namespace foreflow::ops::definitions::softsign
