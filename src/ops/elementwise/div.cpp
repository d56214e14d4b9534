#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::div {

namespace {

constexpr auto kDivide = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_integral_v<T>) {
    if (y == 0) throw ir::OpError("Div", "an integer is divided by 0");
    return std::is_signed_v<T> && y == static_cast<T>(-1) ? wrapping(std::minus{}, T{0}, x) : x / y;
  } else {
    return x / y;
  }
};

}  // namespace

OpDef row() {
  OpDef row           = binary<kDivide, 1>("Div", "x / y; integers are truncated towards zero");
  row.samples         = divisor_samples;
  row.scales_elements = true;
  row.adjusts_scores  = true;
  // z = x / y: dx = dz / y, dy = -dz z / y
  row.grad = [](GradBuilder& builder) {
    const int quotient = builder.emit("Div", {}, {builder.output_gradient(0), builder.input(1)})[0];
    if (builder.wanted(0)) set_broadcast_gradient(builder, 0, quotient);
    if (!builder.wanted(1)) return;
    const int product = builder.emit("Mul", {}, {quotient, builder.output(0)})[0];
    set_broadcast_gradient(builder, 1, builder.emit("Neg", {}, {product})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::div
