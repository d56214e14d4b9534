#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::relu {

namespace {

constexpr auto kFormula = [](auto x) { return x > 0 ? x : decltype(x){0}; };

// The result is positive just where x is, and what reads the result keeps it anyway; PyTorch saves it alone. With
// `keeps_input` the gradient reads x, as in programs of the DistIR authors.
void grad(GradBuilder& builder) {
  const bool of_input = builder.call().attributes.int_or("keeps_input", 0) != 0;
  const int sign      = of_input ? builder.input(0) : builder.output(0);
  builder.set_input_gradient(0, builder.emit("ReluGrad", {}, {sign, builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, 1, Accepts::numbers>("Relu", "max(x, 0)");
  row.grad    = grad;
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"keeps_input", 1}}, {f32({3})}}}; };
  return row;
}

}  // namespace foreflow::ops::definitions::relu
