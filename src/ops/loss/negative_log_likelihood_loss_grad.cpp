#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/cross_entropy.h"

namespace foreflow::ops::definitions::negative_log_likelihood_loss_grad {

namespace {

// -weight / divisor at the label, 0 elsewhere.
std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const Lanes lanes     = lanes_along(x.dims(), 1);
  const Targets targets = targets_of(call);
  std::vector<double> gradient(static_cast<size_t>(x.size()));
  for (size_t row = 0; row < lanes.count(); ++row) {
    if (targets.label[row] < 0) continue;
    gradient[lanes.at(row, static_cast<size_t>(targets.label[row]))] = -targets.weight[row] / targets.divisor;
  }
  return {array_of(x.dtype(), x.dims(), gradient)};
}

}  // namespace

OpDef row() {
  return {
      .name = "NegativeLogLikelihoodLossGrad",
      .doc =
          "log_p[n,c,..], labels[n,..] -> dlog_p: the gradient of NegativeLogLikelihoodLoss for an upstream gradient "
          "of one",
      .domain        = "foreflow",
      .role          = Role::loss_gradient,
      .whole_because = "it divides by the number of all labels that count",
      .infer         = infer_cross_entropy_grad,
      .factors       = cross_entropy_grad_factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[1])); },
      .eval          = eval,
      .samples       = cross_entropy_samples,
  };
}

}  // namespace foreflow::ops::definitions::negative_log_likelihood_loss_grad
