#include <cmath>

#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

constexpr auto kFormula = [](auto x) { return std::log(x); };

}  // namespace

OpDef log() {
  OpDef row   = unary<kFormula, kTranscendental>("Log", "natural logarithm of x");
  row.samples = positive_samples;
  // dx = dy / x
  row.grad = [](GradBuilder& builder) {
    builder.set_input_gradient(0, builder.emit("Div", {}, {builder.output_gradient(0), builder.input(0)})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions
