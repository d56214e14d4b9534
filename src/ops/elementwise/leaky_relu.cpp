#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::leaky_relu {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 0.01);
  return [=](auto x) { return x < 0 ? alpha * static_cast<double>(x) : static_cast<double>(x); };
}

}  // namespace

OpDef row() {
  OpDef row   = unary_with<formula, 1>("LeakyRelu", "x where x >= 0, else alpha x");
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"alpha", 0.2}}, {f32({3})}}}; };
  // dx = dy where x >= 0, else alpha dy
  row.grad = [](GradBuilder& builder) {
    const int alpha  = emit_number(builder, builder.call().attributes.float_or("alpha", 0.01));
    const int dy     = builder.output_gradient(0);
    const int below  = emit_op(builder, "Less", {builder.input(0), emit_number(builder, 0)});
    const int damped = emit_op(builder, "Mul", {dy, alpha});
    builder.set_input_gradient(0, emit_op(builder, "Where", {below, damped, dy}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::leaky_relu
