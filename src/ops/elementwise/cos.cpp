#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::cos {

namespace {

constexpr auto kFormula = [](auto x) { return std::cos(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Cos", "cosine of x");
  // dx = -dy sin(x)
  row.grad = [](GradBuilder& builder) {
    const int slope = emit_op(builder, "Neg", {emit_op(builder, "Sin", {builder.input(0)})});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), slope}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::cos
