#include <cmath>
#include <numbers>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::erf {

namespace {

constexpr auto kFormula = [](auto x) { return std::erf(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Erf", "error function of x");
  // dx = dy 2 / sqrt(pi) e^(-x x)
  row.grad = [](GradBuilder& builder) {
    const int x     = builder.input(0);
    const int bell  = emit_op(builder, "Exp", {emit_op(builder, "Neg", {emit_op(builder, "Mul", {x, x})})});
    const int scale = emit_number(builder, 2 * std::numbers::inv_sqrtpi);
    const int slope = emit_op(builder, "Mul", {bell, scale});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), slope}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::erf
