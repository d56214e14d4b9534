#include "ops/loss/square_loss.h"

namespace foreflow::ops::definitions::loss_grad {

OpDef row() {
  return {
      .name          = "LossGrad",
      .doc           = "x[n,..], y[n,..] -> 2 * (x - y) / count: the gradient of Loss for an upstream gradient of one",
      .domain        = "foreflow",
      .role          = Role::loss_gradient,
      .loss          = true,
      .whole_because = "it divides by the size of the whole batch",
      .infer         = infer_square,
      .factors       = square_factors,
      .work          = square_work,
      .eval =
          [](const OpCall& call) {
            return eval_square(call, [](double difference, double n) { return 2 * difference / n; });
          },
      .samples = square_samples,
  };
}

}  // namespace foreflow::ops::definitions::loss_grad
