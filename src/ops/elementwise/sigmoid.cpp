#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::sigmoid {

namespace {

constexpr auto kFormula = [](auto x) { return 1 / (1 + std::exp(-static_cast<double>(x))); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Sigmoid", "1 / (1 + e^-x)");
  // dx = dy y (1 - y)
  row.grad = [](GradBuilder& builder) {
    const int once  = builder.emit("Mul", {}, {builder.output_gradient(0), builder.output(0)})[0];
    const int twice = builder.emit("Mul", {}, {once, builder.output(0)})[0];
    builder.set_input_gradient(0, builder.emit("Sub", {}, {once, twice})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::sigmoid
