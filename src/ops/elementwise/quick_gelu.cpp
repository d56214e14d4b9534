#include "ops/common/elementwise.h"
#include "ops/elementwise/quick_gelu_formula.h"

namespace foreflow::ops::definitions::quick_gelu {

namespace {

auto formula(const Attributes& attributes) {
  const double alpha = quick_gelu_alpha(attributes);
  return [alpha](auto x) { return static_cast<double>(x) * quick_gelu_gate(static_cast<double>(x), alpha); };
}

}  // namespace

OpDef row() {
  OpDef row = unary_with<formula, kTranscendental + 4>("QuickGelu", "x * Sigmoid(alpha * x), alpha = 1.702 by default");
  row.domain  = "com.microsoft";
  row.samples = [] { return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"alpha", 1.0}}, {f32({3})}}}; };
  row.grad    = [](GradBuilder& builder) {
    const Attributes alpha{{"alpha", quick_gelu_alpha(builder.call().attributes)}};
    const std::vector<int> operands{builder.output_gradient(0), builder.input(0)};
    builder.set_input_gradient(0, builder.emit("QuickGeluGrad", alpha, operands)[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::quick_gelu
