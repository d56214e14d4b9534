#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::log {

namespace {

constexpr auto kFormula = [](auto x) { return std::log(x); };

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, kTranscendental>("Log", "natural logarithm of x");
  row.samples = positive_samples;
  // dx = dy / x
  row.grad = [](GradBuilder& builder) {
    builder.set_input_gradient(0, builder.emit("Div", {}, {builder.output_gradient(0), builder.input(0)})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::log
