#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::celu {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 1);
  return [=](auto x) { return x > 0 ? static_cast<double>(x) : alpha * std::expm1(x / alpha); };
}

// dx = dy where x > 0, else dy (y / alpha + 1)
void grad(GradBuilder& builder) {
  const int alpha = emit_number(builder, builder.call().attributes.float_or("alpha", 1));
  const int dy    = builder.output_gradient(0);
  const int slope =
      emit_op(builder, "Add", {emit_op(builder, "Div", {builder.output(0), alpha}), emit_number(builder, 1)});
  builder.set_input_gradient(0, emit_above(builder, 0, dy, emit_op(builder, "Mul", {dy, slope})));
}

}  // namespace

OpDef row() {
  OpDef row   = unary_with<formula, kTranscendental>("Celu", "x where x > 0, else alpha (e^(x / alpha) - 1)");
  row.grad    = grad;
  row.samples = [] { return wide_samples({{"alpha", 2.0}}); };
  return row;
}

}  // namespace foreflow::ops::definitions::celu
