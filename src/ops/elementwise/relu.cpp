#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::relu {

namespace {

constexpr auto kFormula = [](auto x) { return x > 0 ? x : decltype(x){0}; };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 1, Accepts::numbers>("Relu", "max(x, 0)");
  row.grad  = [](GradBuilder& builder) {
    builder.set_input_gradient(0, builder.emit("ReluGrad", {}, {builder.input(0), builder.output_gradient(0)})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::relu
