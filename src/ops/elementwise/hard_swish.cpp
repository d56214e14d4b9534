#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::hard_swish {

namespace {

constexpr auto kFormula = [](auto x) { return x * std::fmax(0.0, std::fmin(1.0, x / 6.0 + 0.5)); };

// dy/dx = 0, x / 3 + 1/2 or 1: below -3, between, above 3
constexpr auto kSlope = [](GradBuilder& builder) {
  const int x      = builder.input(0);
  const int third  = emit_op(builder, "Div", {x, emit_number(builder, 3)});
  const int middle = emit_op(builder, "Add", {third, emit_number(builder, 0.5)});
  return emit_above(builder, 3, emit_number(builder, 1), emit_above(builder, -3, middle, emit_number(builder, 0)));
};

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, 5>("HardSwish", "x max(0, min(1, x / 6 + 1/2))");
  row.grad    = scale_by_slope<kSlope>;
  row.samples = [] { return wide_samples(); };
  return row;
}

}  // namespace foreflow::ops::definitions::hard_swish
