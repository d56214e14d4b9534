#include <algorithm>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::hard_sigmoid {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 0.2), beta = attributes.float_or("beta", 0.5);
  return [=](auto x) { return std::clamp(alpha * static_cast<double>(x) + beta, 0.0, 1.0); };
}

}  // namespace

OpDef row() {
  OpDef row   = unary_with<formula, 4>("HardSigmoid", "max(0, min(1, alpha x + beta))");
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"alpha", 2.0}, {"beta", 0.1}}, {f32({3})}}}; };
  // dx = alpha dy where 0 < y < 1
  row.grad = [](GradBuilder& builder) {
    const int alpha  = emit_number(builder, builder.call().attributes.float_or("alpha", 0.2));
    const int above  = emit_op(builder, "Greater", {builder.output(0), emit_number(builder, 0)});
    const int below  = emit_op(builder, "Less", {builder.output(0), emit_number(builder, 1)});
    const int inside = emit_op(builder, "And", {above, below});
    const int dx     = emit_op(builder, "Mul", {builder.output_gradient(0), alpha});
    builder.set_input_gradient(0, emit_op(builder, "Where", {inside, dx, emit_number(builder, 0)}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::hard_sigmoid
