#include "ops/optimizer/preview_optimizer.h"

namespace foreflow::ops::definitions::momentum {

namespace {

constexpr size_t kStates = 1;

// As ONNX states it: the regularised gradient g = norm_coefficient w + dw, V' = alpha V + b g with b = beta after the
// first update and 1 in it, w' = w - rate V', or w - rate (g + alpha V') for mode = "nesterov".
std::vector<Array> eval(const OpCall& call) {
  const double alpha = call.attributes.float_or("alpha", 0), beta = call.attributes.float_or("beta", 1),
               decay     = call.attributes.float_or("norm_coefficient", 0);
  const std::string mode = call.attributes.string_or("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    call.fail("mode is \"" + mode + "\"; standard or nesterov would be right");
  return eval_preview(call, kStates, [&](PreviewElement& element) {
    const double g = decay * element.weight + element.gradient;
    double& v      = element.state[0];
    v              = alpha * v + (element.count > 0 ? beta : 1) * g;
    element.weight -= element.rate * (mode == "nesterov" ? g + alpha * v : v);
  });
}

}  // namespace

OpDef row() {
  return {
      .name     = "Momentum",
      .doc      = "rate, count, weights, gradients, V -> new weights, V': one step with momentum on each weight",
      .domain   = "ai.onnx.preview.training",
      .foldable = false,
      .infer    = [](const OpCall& call) { return infer_preview(call, kStates); },
      .factors  = preview_factors,
      .work     = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 6 * count_of(outputs[0])); },
      .eval     = eval,
      .samples =
          [] {
            return preview_samples({{"alpha", 0.9}, {"beta", 0.5}, {"mode", "nesterov"}}, kStates);
          },
  };
}

}  // namespace foreflow::ops::definitions::momentum
