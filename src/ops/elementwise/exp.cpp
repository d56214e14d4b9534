#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::exp {

namespace {

constexpr auto kFormula = [](auto x) { return std::exp(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Exp", "e to the power x");
  // dx = dy y
  row.grad = [](GradBuilder& builder) {
    builder.set_input_gradient(0, builder.emit("Mul", {}, {builder.output_gradient(0), builder.output(0)})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::exp
