#include <cmath>

#include "ops/optimizer/preview_optimizer.h"

namespace foreflow::ops::definitions::adam {

namespace {

constexpr size_t kStates = 2;

// As ONNX states it: the regularised gradient g = norm_coefficient w + dw, V' = alpha V + (1 - alpha) g,
// H' = beta H + (1 - beta) g^2, w' = (1 - norm_coefficient_post) (w - rate V' / (sqrt(H') + epsilon)), where the rate
// is corrected for the bias of V and H from the second update on.
std::vector<Array> eval(const OpCall& call) {
  const double alpha = call.attributes.float_or("alpha", 0.9), beta = call.attributes.float_or("beta", 0.999),
               epsilon = call.attributes.float_or("epsilon", 1e-6),
               decay   = call.attributes.float_or("norm_coefficient", 0),
               after   = call.attributes.float_or("norm_coefficient_post", 0);
  return eval_preview(call, kStates, [&](PreviewElement& element) {
    const double g = decay * element.weight + element.gradient;
    double &mean = element.state[0], &square = element.state[1];
    mean             = alpha * mean + (1 - alpha) * g;
    square           = beta * square + (1 - beta) * g * g;
    const bool first = element.count <= 0;
    const double rate =
        first ? element.rate
              : element.rate * std::sqrt(1 - std::pow(beta, element.count)) / (1 - std::pow(alpha, element.count));
    element.weight = (1 - after) * (element.weight - rate * mean / (std::sqrt(square) + epsilon));
  });
}

}  // namespace

OpDef row() {
  return {
      .name     = "Adam",
      .doc      = "rate, count, weights, gradients, V, H -> new weights, V', H': one step of Adam on each weight",
      .domain   = "ai.onnx.preview.training",
      .foldable = false,
      .infer    = [](const OpCall& call) { return infer_preview(call, kStates); },
      .factors  = preview_factors,
      .work     = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 16 * count_of(outputs[0])); },
      .eval     = eval,
      .samples =
          [] {
            return preview_samples({{"norm_coefficient", 0.01}, {"epsilon", 1e-3}}, kStates);
          },
  };
}

}  // namespace foreflow::ops::definitions::adam
