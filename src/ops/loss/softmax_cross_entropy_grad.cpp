#include <cmath>

#include "ops/loss/one_hot_loss.h"

namespace foreflow::ops::definitions::softmax_cross_entropy_grad {

namespace {

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 3)
    call.fail("has " + std::to_string(call.arity()) + " operands; dy, log_probability and labels would be right");
  check_same_shape(call, 1, 2);
  return {tensor_operand(call, 1)};
}

// dlogits = dy * (softmax - labels) / rows, for labels that add up to one in every row.
std::vector<Array> eval(const OpCall& call) {
  const Array& log_probability = value_of(call, 1);
  const double scale           = value_of(call, 0).at(0) / row_divisor(call, log_probability.dims());
  const auto label             = values_of<double>(value_of(call, 2));
  auto slope                   = values_of<double>(log_probability);
  for (size_t i = 0; i < slope.size(); ++i) slope[i] = scale * (std::exp(slope[i]) - label[i]);
  return {array_of(log_probability.dtype(), log_probability.dims(), slope)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "SoftmaxCrossEntropyGrad",
      .doc           = "dy[], log_probability[..,c], labels[..,c] -> dlogits: the gradient of SoftmaxCrossEntropy",
      .domain        = "com.microsoft",
      .normalises    = true,
      .loss          = true,
      .whole_because = "it divides by the size of the whole batch",
      .infer         = infer,
      .factors       = [](const OpCall&) -> Factors { return {}; },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 2) * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({}), f32({4, 3}), f32({4, 3})}},
                                       {{{"reduction", "sum"}}, {f32({}), f32({2, 2, 3}), f32({2, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::softmax_cross_entropy_grad
