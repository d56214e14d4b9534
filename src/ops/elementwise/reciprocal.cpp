#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::reciprocal {

namespace {

constexpr auto kFormula = [](auto x) { return 1 / static_cast<double>(x); };

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, 1>("Reciprocal", "1 / x");
  row.samples = positive_samples;
  // dx = -dy y y
  row.grad = [](GradBuilder& builder) {
    const int square = emit_op(builder, "Mul", {builder.output(0), builder.output(0)});
    const int slope  = emit_op(builder, "Neg", {square});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), slope}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reciprocal
