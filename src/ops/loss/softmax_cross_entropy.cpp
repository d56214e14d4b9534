#include "ops/common/table_rows.h"
#include "ops/loss/one_hot_loss.h"

namespace foreflow::ops::definitions::softmax_cross_entropy {

namespace {

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 2)
    call.fail("has " + std::to_string(call.arity()) + " operands; logits and labels would be right");
  check_same_shape(call, 0, 1);
  const Type logits = tensor_operand(call, 0);
  const Type loss   = with_dims(logits, {});
  return call.outputs > 1 ? std::vector{loss, logits} : std::vector{loss};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& logits   = value_of(call, 0);
  const Array log_prob  = evaluate("LogSoftmax", {}, {Wide(call).operand(0)})[0];
  const auto label      = values_of<double>(value_of(call, 1));
  const auto likelihood = values_of<double>(log_prob);
  double sum            = 0;
  for (size_t i = 0; i < label.size(); ++i) sum -= label[i] * likelihood[i];
  std::vector<Array> results{array_of(logits.dtype(), {}, std::vector{sum / row_divisor(call, logits.dims())})};
  if (call.outputs > 1) results.push_back(array_of(logits.dtype(), logits.dims(), likelihood));
  return results;
}

}  // namespace

OpDef row() {
  return {
      .name = "SoftmaxCrossEntropy",
      .doc = "logits[..,c], labels[..,c] -> mean or sum over rows of -labels * log(softmax(logits)), and the logarithm",
      .domain        = "com.microsoft",
      .normalises    = true,
      .loss          = true,
      .whole_because = "it divides by the size of the whole batch",
      .infer         = infer,
      .factors       = [](const OpCall&) -> Factors { return {}; },
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 7 * count_of(call.inputs[0])); },
      .eval          = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 3}), f32({4, 3})}, {}, 2},
                                       {{{"reduction", "sum"}}, {f32({2, 2, 3}), f32({2, 2, 3})}, {}, 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::softmax_cross_entropy
