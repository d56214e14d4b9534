#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::tanh {

namespace {

constexpr auto kFormula = [](auto x) { return std::tanh(x); };

}  // namespace

OpDef row() {
  OpDef row          = unary<kFormula, kTranscendental>("Tanh", "hyperbolic tangent of x");
  row.adjusts_scores = true;
  // dx = dy (1 - y y)
  row.grad = [](GradBuilder& builder) {
    const int dy     = builder.output_gradient(0);
    const int once   = builder.emit("Mul", {}, {dy, builder.output(0)})[0];
    const int square = builder.emit("Mul", {}, {once, builder.output(0)})[0];
    builder.set_input_gradient(0, builder.emit("Sub", {}, {dy, square})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::tanh
