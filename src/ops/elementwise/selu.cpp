#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::selu {

namespace {

// Klambauer et al., 2017, with which activations keep mean 0 and variance 1.
double alpha(const Attributes& attributes) { return attributes.float_or("alpha", 1.67326319217681884765625); }
double gamma(const Attributes& attributes) { return attributes.float_or("gamma", 1.05070102214813232421875); }

auto formula(const Attributes& attributes) {
  const double a = alpha(attributes), g = gamma(attributes);
  return [=](auto x) { return x > 0 ? g * static_cast<double>(x) : g * a * std::expm1(x); };
}

// dx = dy gamma where x > 0, else dy (y + gamma alpha)
void grad(GradBuilder& builder) {
  const Attributes& attributes = builder.call().attributes;
  const int dy = builder.output_gradient(0), bottom = emit_number(builder, gamma(attributes) * alpha(attributes));
  const int above = emit_op(builder, "Mul", {dy, emit_number(builder, gamma(attributes))});
  const int below = emit_op(builder, "Mul", {dy, emit_op(builder, "Add", {builder.output(0), bottom})});
  builder.set_input_gradient(0, emit_above(builder, 0, above, below));
}

}  // namespace

OpDef row() {
  OpDef row   = unary_with<formula, kTranscendental>("Selu", "gamma x where x > 0, else gamma alpha (e^x - 1)");
  row.grad    = grad;
  row.samples = [] { return wide_samples({{"alpha", 2.0}, {"gamma", 0.5}}); };
  return row;
}

}  // namespace foreflow::ops::definitions::selu
