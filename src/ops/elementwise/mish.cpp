#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::mish {

namespace {

constexpr auto kFormula = [](auto x) {
  return x * std::tanh(std::log1p(std::exp(-std::abs(static_cast<double>(x)))) + std::fmax(x, 0.0));
};

// dy/dx = t + x (1 - t^2) sigmoid(x), with t = tanh(softplus(x))
constexpr auto kSlope = [](GradBuilder& builder) {
  const int x = builder.input(0), t = emit_op(builder, "Tanh", {emit_op(builder, "Softplus", {x})});
  const int flat = emit_op(builder, "Sub", {emit_number(builder, 1), emit_square(builder, t)});
  const int bend = emit_op(builder, "Mul", {flat, emit_op(builder, "Sigmoid", {x})});
  return emit_op(builder, "Add", {t, emit_op(builder, "Mul", {x, bend})});
};

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, 3 * kTranscendental>("Mish", "x tanh(log(1 + e^x))");
  row.grad    = scale_by_slope<kSlope>;
  row.samples = [] { return wide_samples(); };
  return row;
}

}  // namespace foreflow::ops::definitions::mish
