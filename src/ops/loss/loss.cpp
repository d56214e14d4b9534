#include "ops/loss/square_loss.h"

namespace foreflow::ops::definitions::loss {

OpDef row() {
  return {
      .name          = "Loss",
      .doc           = "x[n,..], y[n,..] -> (x - y)^2 / count for every element; count: n unless given",
      .domain        = "foreflow",
      .loss          = true,
      .grad_from_one = true,
      .whole_because = "it divides by the size of the whole batch",
      .infer         = infer_square,
      .factors       = square_factors,
      .work          = square_work,
      .eval =
          [](const OpCall& call) {
            return eval_square(call, [](double difference, double n) { return difference * difference / n; });
          },
      // A loss ends the forward pass: the gradient that reaches it is one.
      .grad =
          [](GradBuilder& builder) {
            const int dx = builder.emit("LossGrad", builder.call().attributes, {builder.input(0), builder.input(1)})[0];
            builder.set_input_gradient(0, dx);
            if (builder.wanted(1)) builder.set_input_gradient(1, builder.emit("Neg", {}, {dx})[0]);
          },
      .samples = square_samples,
  };
}

}  // namespace foreflow::ops::definitions::loss
