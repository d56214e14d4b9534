#include <cmath>

#include "ops/common/update.h"

namespace foreflow::ops::definitions::adam_optimizer {

namespace {

constexpr size_t kStates = 2;

// m' = beta1 m + (1 - beta1) dw,  v' = beta2 v + (1 - beta2) dw^2,
// w' = w - lr * (m' / (1 - beta1^step)) / (sqrt(v' / (1 - beta2^step)) + epsilon)   (Kingma and Ba, 2015),
// and - lr * weight_decay * w besides (AdamW: Loshchilov and Hutter, 2019).
std::vector<Array> eval(const OpCall& call) {
  const double rate = learning_rate(call, 1e-3), beta1 = call.attributes.float_or("beta1", 0.9),
               beta2 = call.attributes.float_or("beta2", 0.999), epsilon = call.attributes.float_or("epsilon", 1e-8),
               decay      = call.attributes.float_or("weight_decay", 0);
  const auto step         = static_cast<double>(call.attributes.int_or("step", 1));
  const double mean_share = 1 - std::pow(beta1, step), variance_share = 1 - std::pow(beta2, step);
  return eval_step(call, kStates, [&](Element& element) {
    auto& [m, v] = element.state;
    m            = beta1 * m + (1 - beta1) * element.gradient;
    v            = beta2 * v + (1 - beta2) * element.gradient * element.gradient;
    element.weight -= rate * (m / mean_share / (std::sqrt(v / variance_share) + epsilon) + decay * element.weight);
  });
}

std::vector<Sample> samples() {
  std::vector<Sample> all  = step_samples({}, kStates);
  const Attributes decayed = {{"lr", 0.1}, {"step", 7}, {"weight_decay", 0.01}};
  for (Sample& sample : step_samples(decayed, kStates)) all.push_back(std::move(sample));
  return all;
}

}  // namespace

OpDef row() {
  return {
      .name = "AdamOptimizer",
      .doc =
          "w, dw, m, v, master (optional) -> w', m', v', master': one step of Adam, number `step` (from 1), with bias "
          "correction; weight_decay > 0: AdamW",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = [](const OpCall& call) { return infer_step(call, kStates); },
      .factors  = step_factors,
      .work     = [](const OpCall& call, std::span<const Type> outputs) { return step_work(call, outputs, 14); },
      .eval     = eval,
      .samples  = samples,
  };
}

}  // namespace foreflow::ops::definitions::adam_optimizer
