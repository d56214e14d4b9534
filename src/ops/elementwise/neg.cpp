#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::neg {

namespace {

constexpr auto kFormula = [](auto x) { return wrapping(std::minus{}, decltype(x){0}, x); };

}  // namespace

OpDef row() {
  OpDef row    = unary<kFormula, 1, Accepts::numbers>("Neg", "-x");
  row.additive = true;
  row.grad     = [](GradBuilder& builder) {
    builder.set_input_gradient(0, builder.emit("Neg", {}, {builder.output_gradient(0)})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::neg
