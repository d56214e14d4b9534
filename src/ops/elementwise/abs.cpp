#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::abs {

namespace {

constexpr auto kFormula = [](auto x) { return x < 0 ? wrapping(std::minus{}, decltype(x){0}, x) : x; };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 1, Accepts::numbers>("Abs", "absolute value of x");
  // dx = dy sign(x)
  row.grad = [](GradBuilder& builder) {
    const int sign = emit_op(builder, "Sign", {builder.input(0)});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), sign}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::abs
