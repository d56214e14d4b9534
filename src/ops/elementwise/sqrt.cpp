#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::sqrt {

namespace {

constexpr auto kFormula = [](auto x) { return std::sqrt(x); };

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, kTranscendental>("Sqrt", "square root of x");
  row.samples = positive_samples;
  // dx = dy / (2 y)
  row.grad = [](GradBuilder& builder) {
    const int twice = builder.emit("Add", {}, {builder.output(0), builder.output(0)})[0];
    builder.set_input_gradient(0, builder.emit("Div", {}, {builder.output_gradient(0), twice})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::sqrt
