#include <cmath>

#include "ops/optimizer/preview_optimizer.h"

namespace foreflow::ops::definitions::adagrad {

namespace {

constexpr size_t kStates = 1;

// As ONNX states it: rate / (1 + count decay_factor), g = norm_coefficient w + dw, H' = H + g^2,
// w' = w - rate g / (sqrt(H') + epsilon)   (Duchi et al., 2011).
std::vector<Array> eval(const OpCall& call) {
  const double slowing = call.attributes.float_or("decay_factor", 0),
               epsilon = call.attributes.float_or("epsilon", 1e-6),
               decay   = call.attributes.float_or("norm_coefficient", 0);
  return eval_preview(call, kStates, [&](PreviewElement& element) {
    const double g = decay * element.weight + element.gradient;
    element.state[0] += g * g;
    element.weight -= element.rate / (1 + element.count * slowing) * g / (std::sqrt(element.state[0]) + epsilon);
  });
}

}  // namespace

OpDef row() {
  return {
      .name     = "Adagrad",
      .doc      = "rate, count, weights, gradients, H -> new weights, H': one step of Adagrad on each weight",
      .domain   = "ai.onnx.preview.training",
      .foldable = false,
      .infer    = [](const OpCall& call) { return infer_preview(call, kStates); },
      .factors  = preview_factors,
      .work     = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 14 * count_of(outputs[0])); },
      .eval     = eval,
      .samples =
          [] {
            return preview_samples({{"epsilon", 1e-3}, {"decay_factor", 0.1}}, kStates);
          },
  };
}

}  // namespace foreflow::ops::definitions::adagrad
