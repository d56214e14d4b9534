#include "ops/common/update.h"

namespace foreflow::ops::definitions::optimizer {

OpDef row() {
  return {
      .name     = "Optimizer",
      .doc      = "w, dw, master (optional) -> w - lr * dw, master', for tensors or tuples of them",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = [](const OpCall& call) { return infer_step(call, 0); },
      .factors  = step_factors,
      .work     = [](const OpCall& call, std::span<const Type> outputs) { return step_work(call, outputs, 2); },
      .eval =
          [](const OpCall& call) {
            const double rate = learning_rate(call, 0.01);
            return eval_step(call, 0, [rate](Element& element) { element.weight -= rate * element.gradient; });
          },
      .samples =
          [] {
            const Type pair             = Type::tuple({f32({4, 2}), f32({2})});
            std::vector<Sample> samples = step_samples({}, 0);
            samples.push_back({{{"lr", 0.5}}, {pair, pair}});
            return samples;
          },
  };
}

}  // namespace foreflow::ops::definitions::optimizer
