#include "ops/common/update.h"

namespace foreflow::ops::definitions::momentum_optimizer {

namespace {

constexpr size_t kStates = 1;

// v' = momentum v + dw,  w' = w - lr v'  (Polyak, 1964);  nesterov: w' = w - lr (dw + momentum v')
// (Sutskever et al., 2013, in the form that needs no look-ahead).
std::vector<Array> eval(const OpCall& call) {
  const double rate = learning_rate(call, 0.01), momentum = call.attributes.float_or("momentum", 0.9);
  const bool nesterov = call.attributes.int_or("nesterov", 0) != 0;
  return eval_step(call, kStates, [&](Element& element) {
    double& v = element.state[0];
    v         = momentum * v + element.gradient;
    element.weight -= rate * (nesterov ? element.gradient + momentum * v : v);
  });
}

std::vector<Sample> samples() {
  std::vector<Sample> all = step_samples({}, kStates);
  for (Sample& sample : step_samples({{"lr", 0.5}, {"momentum", 0.5}, {"nesterov", 1}}, kStates))
    all.push_back(std::move(sample));
  return all;
}

}  // namespace

OpDef row() {
  return {
      .name = "MomentumOptimizer",
      .doc =
          "w, dw, v, master (optional) -> w', v', master': one step of gradient descent with momentum; nesterov = 1: "
          "Nesterov's",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = [](const OpCall& call) { return infer_step(call, kStates); },
      .factors  = step_factors,
      .work     = [](const OpCall& call, std::span<const Type> outputs) { return step_work(call, outputs, 4); },
      .eval     = eval,
      .samples  = samples,
  };
}

}  // namespace foreflow::ops::definitions::momentum_optimizer
