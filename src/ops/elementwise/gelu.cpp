#include <cmath>
#include <numbers>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::gelu {

namespace {

auto formula(const Attributes& attributes) {
  const bool by_tanh = attributes.string_or("approximate", "none") == "tanh";
  return [=](auto number) {
    const auto x = static_cast<double>(number);
    if (by_tanh) return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
  };
}

}  // namespace

OpDef row() {
  OpDef row = unary_with<formula, kTranscendental + 4>(
      "Gelu", "x Phi(x), Phi the normal distribution; approximate = tanh: its approximation by tanh");
  row.samples = [] {
    return std::vector<Sample>{{{}, {f32({4, 2})}}, {{{"approximate", std::string("tanh")}}, {f32({3})}}};
  };
  row.grad = [](GradBuilder& builder) {
    const std::string approximate = builder.call().attributes.string_or("approximate", "none");
    const std::vector<int> operands{builder.input(0), builder.output_gradient(0)};
    builder.set_input_gradient(0, builder.emit("GeluGrad", {{"approximate", approximate}}, operands)[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::gelu
