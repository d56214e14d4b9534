#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/cross_entropy.h"

namespace foreflow::ops::definitions::softmax_cross_entropy_loss_grad {

namespace {

// weight * (softmax - one at the label) / divisor.
std::vector<Array> eval_grad(const OpCall& call) {
  const Array& logits   = value_of(call, 0);
  const Lanes lanes     = lanes_along(logits.dims(), 1);
  const Targets targets = targets_of(call);
  auto gradient         = log_probabilities(logits);
  for (size_t row = 0; row < lanes.count(); ++row) {
    for (size_t c = 0; c < lanes.length; ++c) {
      double& slope = gradient[lanes.at(row, c)];
      slope = targets.weight[row] * (std::exp(slope) - (static_cast<int64_t>(c) == targets.label[row] ? 1 : 0)) /
              targets.divisor;
    }
  }
  return {array_of(logits.dtype(), logits.dims(), gradient)};
}

}  // namespace

OpDef row() {
  return {
      .name = "SoftmaxCrossEntropyLossGrad",
      .doc =
          "logits[n,c,..], labels[n,..] -> dlogits: the gradient of SoftmaxCrossEntropyLoss for an upstream gradient "
          "of one",
      .domain        = "foreflow",
      .role          = Role::loss_gradient,
      .normalises    = true,
      .loss          = true,
      .vocabulary    = {ir::VocabularyForm::Kind::loss, "CrossEntropyOfTermsGrad"},
      .whole_because = "it divides by the number of all labels that count",
      .infer         = infer_cross_entropy_grad,
      .factors       = cross_entropy_grad_factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 6 * count_of(outputs[0])); },
      .eval          = eval_grad,
      .samples       = cross_entropy_samples,
  };
}

}  // namespace foreflow::ops::definitions::softmax_cross_entropy_loss_grad
