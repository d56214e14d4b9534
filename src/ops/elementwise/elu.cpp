#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::elu {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 1);
  return [=](auto x) { return x < 0 ? alpha * std::expm1(x) : static_cast<double>(x); };
}

}  // namespace

OpDef row() {
  OpDef row   = unary_with<formula, kTranscendental>("Elu", "x where x >= 0, else alpha (e^x - 1)");
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"alpha", 0.5}}, {f32({3})}}}; };
  // dx = dy where x >= 0, else dy alpha e^x = dy (y + alpha)
  row.grad = [](GradBuilder& builder) {
    const int alpha  = emit_number(builder, builder.call().attributes.float_or("alpha", 1));
    const int dy     = builder.output_gradient(0);
    const int below  = emit_op(builder, "Less", {builder.input(0), emit_number(builder, 0)});
    const int damped = emit_op(builder, "Mul", {dy, emit_op(builder, "Add", {builder.output(0), alpha})});
    builder.set_input_gradient(0, emit_op(builder, "Where", {below, damped, dy}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::elu
