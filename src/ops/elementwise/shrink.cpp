
#include "ops/common/slope.h"

namespace foreflow::ops::definitions::shrink {

namespace {

auto formula(const Attributes& attributes) {
  const double bias = attributes.float_or("bias", 0), limit = attributes.float_or("lambd", 0.5);
  return [=](auto x) {
    const auto value = static_cast<double>(x);
    return value > limit ? value - bias : value < -limit ? value + bias : 0;
  };
}

// dx = dy where |x| > lambd
void grad(GradBuilder& builder) {
  const int limit  = emit_number(builder, builder.call().attributes.float_or("lambd", 0.5));
  const int beyond = emit_op(builder, "Greater", {emit_op(builder, "Abs", {builder.input(0)}), limit});
  const int dx     = emit_op(builder, "Where", {beyond, builder.output_gradient(0), emit_number(builder, 0)});
  builder.set_input_gradient(0, dx);
}

}  // namespace

OpDef row() {
  OpDef row =
      unary_with<formula, 3, Accepts::numbers>("Shrink", "x - bias where x > lambd, x + bias where x < -lambd, else 0");
  row.grad    = grad;
  row.samples = [] { return wide_samples({{"lambd", 1.5}, {"bias", 0.25}}); };
  return row;
}

}  // namespace foreflow::ops::definitions::shrink
