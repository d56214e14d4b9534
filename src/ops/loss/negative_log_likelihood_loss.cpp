#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/cross_entropy.h"

namespace foreflow::ops::definitions::negative_log_likelihood_loss {

namespace {

std::vector<Type> infer(const OpCall& call) {
  check_cross_entropy(call);
  return {loss_type(call)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const CrossEntropyLetters text = cross_entropy_letters(call);
  return {.text = factor_text(call, {text.logits, text.labels}, {keeps_rows(call) ? text.labels : ""})};
}

// A loss ends the forward pass: the gradient that reaches it is one.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  std::vector<int> inputs{builder.input(0), builder.input(1)};
  if (call.has(2)) inputs.push_back(builder.input(2));
  builder.set_input_gradient(0, builder.emit("NegativeLogLikelihoodLossGrad", call.attributes, inputs)[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "NegativeLogLikelihoodLoss",
      .doc =
          "log_p[n,c,..], labels[n,..], weights[c] -> mean, sum or each of -weights[label] log_p[label]; count: "
          "divisor of the mean",
      .grad_from_one = true,
      .whole_because = "its result depends on the numbers of all samples that count",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(call.inputs[1])); },
      .eval          = [](const OpCall& call) -> std::vector<Array> {
        return {cross_entropy(call, values_of<double>(value_of(call, 0)))};
      },
      .grad    = grad,
      .samples = cross_entropy_samples,
  };
}

}  // namespace foreflow::ops::definitions::negative_log_likelihood_loss
