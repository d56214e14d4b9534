
#include "ops/common/slope.h"

namespace foreflow::ops::definitions::thresholded_relu {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = attributes.float_or("alpha", 1);
  return [=](auto x) { return static_cast<double>(x) > alpha ? x : decltype(x){0}; };
}

// dx = dy where x > alpha
void grad(GradBuilder& builder) {
  const double alpha = builder.call().attributes.float_or("alpha", 1);
  builder.set_input_gradient(0, emit_above(builder, alpha, builder.output_gradient(0), emit_number(builder, 0)));
}

}  // namespace

OpDef row() {
  OpDef row   = unary_with<formula, 1>("ThresholdedRelu", "x where x > alpha, else 0");
  row.grad    = grad;
  row.samples = [] { return wide_samples({{"alpha", 0.5}}); };
  return row;
}

}  // namespace foreflow::ops::definitions::thresholded_relu
