#include "ops/common/elementwise.h"
#include "ops/common/table_rows.h"
#include "ops/loss/cross_entropy.h"

namespace foreflow::ops::definitions::softmax_cross_entropy_loss_internal_grad {

namespace {

// Operands: dy, log_probability, labels, weights, ignore_index, bias.
constexpr size_t kBias = 5;

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() < 3)
    call.fail("has " + std::to_string(call.arity()) + " operands; dy, log_probability and labels would be right");
  Type type = tensor_operand(call, 1);
  if (const auto dtype = output_dtype(call); dtype && type.is_tensor()) type.dtype = *dtype;
  return {type};
}

// The softmax of log-probabilities is that of the logits that they came from, so the gradient for an upstream gradient
// of one is that of SoftmaxCrossEntropyLoss at them.
std::vector<Array> eval(const OpCall& call) {
  const Wide wide(call);
  const OpCall exact = wide.call();
  const Array &dy = value_of(exact, 0), &log_probability = value_of(exact, 1);
  const std::vector<const Array*> operands(
      exact.known.begin() + 1, exact.known.begin() + static_cast<std::ptrdiff_t>(std::min(call.arity(), kBias)));
  Attributes attributes = call.attributes;
  attributes.erase("output_type");
  Array slope = evaluate("SoftmaxCrossEntropyLossGrad", attributes, operands)[0];
  // One upstream gradient, or one for each row, which has all dimensions but that of the classes.
  Dims rows            = log_probability.dims();
  rows[1]              = 1;
  const Array upstream = dy.size() == 1 ? dy.reshaped({}) : dy.reshaped(rows);
  slope                = map_pairs(call, slope, upstream, slope.dtype(), [](auto a, auto b) { return a * b; });
  if (call.has(kBias)) slope = map_pairs(call, slope, value_of(exact, kBias), slope.dtype(), std::plus{});
  const Type type = infer(call)[0];
  return {array_of(type.dtype, type.dims, values_of<double>(slope))};
}

}  // namespace

OpDef row() {
  return {
      .name          = "SoftmaxCrossEntropyLossInternalGrad",
      .doc           = "dy, log_probability, labels, weights, ignore_index, bias -> dlogits (+ bias)",
      .domain        = "com.microsoft",
      .normalises    = true,
      .loss          = true,
      .whole_because = "it divides by the number of all labels that count",
      .infer         = infer,
      .factors       = [](const OpCall&) -> Factors { return {}; },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 3) * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> labels{2, Array::of_ints({4}, {0, 2, 1, 2})};
            return std::vector<Sample>{{{}, {f32({}), f32({4, 3}), i64({4})}, {labels}},
                                       {{{"reduction", "none"}, {"output_type", "Float16"}},
                                        {f32({4}), f32({4, 3}), i64({4}), {}, i64({}), f32({4, 3})},
                                        {labels, {4, Array::scalar(int64_t{2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::softmax_cross_entropy_loss_internal_grad
