#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/cross_entropy.h"

namespace foreflow::ops::definitions::softmax_cross_entropy_loss {

namespace {

std::vector<Type> infer_loss(const OpCall& call) {
  check_cross_entropy(call);
  return call.outputs > 1 ? std::vector{loss_type(call), tensor_operand(call, 0)} : std::vector{loss_type(call)};
}

Factors loss_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const CrossEntropyLetters text = cross_entropy_letters(call);
  std::vector<std::string> outputs{keeps_rows(call) ? text.labels : ""};
  if (call.outputs > 1) outputs.push_back(text.logits);
  return {.text = factor_text(call, {text.logits, text.labels}, outputs)};
}

std::vector<Array> eval_loss(const OpCall& call) {
  const Array& logits = value_of(call, 0);
  const auto log_prob = log_probabilities(logits);
  std::vector<Array> outputs{cross_entropy(call, log_prob)};
  if (call.outputs > 1) outputs.push_back(array_of(logits.dtype(), logits.dims(), log_prob));
  return outputs;
}

// A loss ends the forward pass: the gradient that reaches it is one.
void grad_loss(GradBuilder& builder) {
  const OpCall& call = builder.call();
  std::vector<int> inputs{builder.input(0), builder.input(1)};
  if (call.has(2)) inputs.push_back(builder.input(2));
  builder.set_input_gradient(0, builder.emit("SoftmaxCrossEntropyLossGrad", call.attributes, inputs)[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "SoftmaxCrossEntropyLoss",
      .doc =
          "logits[n,c,..], labels[n,..] -> mean, sum or each of -log(softmax(logits)[label]); count: divisor of the "
          "mean",
      .normalises    = true,
      .loss          = true,
      .grad_from_one = true,
      .vocabulary    = {ir::VocabularyForm::Kind::loss, "CrossEntropyOfTerms"},
      .whole_because = "its result depends on the numbers of all samples that count",
      .infer         = infer_loss,
      .factors       = loss_factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 5 * count_of(call.inputs[0])); },
      .eval          = eval_loss,
      .grad          = grad_loss,
      .samples       = cross_entropy_samples,
  };
}

}  // namespace foreflow::ops::definitions::softmax_cross_entropy_loss
