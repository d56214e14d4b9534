#include <cmath>

#include "ops/update.h"

namespace foreflow::ops::definitions {

namespace {

struct AdamRates {
  double rate, beta1, beta2, epsilon, step;
};

AdamRates rates_of(const OpCall& call) {
  return {learning_rate(call, 1e-3), call.attributes.float_or("beta1", 0.9), call.attributes.float_or("beta2", 0.999),
          call.attributes.float_or("epsilon", 1e-8), static_cast<double>(call.attributes.int_or("step", 1))};
}

// m' = beta1 m + (1 - beta1) dw,  v' = beta2 v + (1 - beta2) dw^2,
// w' = w - lr * (m' / (1 - beta1^step)) / (sqrt(v' / (1 - beta2^step)) + epsilon)   (Kingma and Ba, 2015).
enum class AdamResult : uint8_t { weight, mean, variance };

Array updated(const OpCall& call, AdamResult wanted) {
  const AdamRates rates = rates_of(call);
  const std::vector<Array> operands{value_of(call, 0), value_of(call, 1), value_of(call, 2), value_of(call, 3)};
  return map_leaves(call, operands, [&](const std::vector<Array>& leaves) {
    auto w = values_of<double>(leaves[0]), m = values_of<double>(leaves[2]), v = values_of<double>(leaves[3]);
    const auto dw = values_of<double>(leaves[1]);
    for (size_t i = 0; i < w.size(); ++i) {
      m[i] = rates.beta1 * m[i] + (1 - rates.beta1) * dw[i];
      v[i] = rates.beta2 * v[i] + (1 - rates.beta2) * dw[i] * dw[i];
      const double mean     = m[i] / (1 - std::pow(rates.beta1, rates.step)),
                   variance = v[i] / (1 - std::pow(rates.beta2, rates.step));
      w[i] -= rates.rate * mean / (std::sqrt(variance) + rates.epsilon);
    }
    if (wanted == AdamResult::weight) return array_of(leaves[0].dtype(), leaves[0].dims(), w);
    if (wanted == AdamResult::mean) return array_of(leaves[2].dtype(), leaves[2].dims(), m);
    return array_of(leaves[3].dtype(), leaves[3].dims(), v);
  });
}

}  // namespace

OpDef adam_optimizer() {
  return {
      .name     = "AdamOptimizer",
      .doc      = "w, dw, m, v -> w', m', v': one step of Adam, number `step` (from 1), with bias correction",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = [](const OpCall& call) -> std::vector<Type> {
        if (call.arity() != 4)
          call.fail("has " + std::to_string(call.arity()) + " operands; w, dw, m and v would be right");
        const std::vector<Type> operands(call.inputs.begin(), call.inputs.end());
        const Type weight = infer_update(call, operands);
        const auto state  = [&](size_t i) {
          return operands[i].kind == Type::Kind::unknown ? weight : moved(operands[i], {});
        };
        return {weight, state(2), state(3)};
      },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = factor_text(call, {all, all, all, all}, {all, all, all})};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 14 * count_of(outputs[0])); },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {updated(call, AdamResult::weight), updated(call, AdamResult::mean),
                updated(call, AdamResult::variance)};
      },
      .samples =
          [] {
            const std::pair<size_t, Array> variance{3, Array::of_floats({2, 2}, {0.5F, 1, 0.25F, 2})};
            return std::vector<Sample>{
                {{}, {f32({2, 2}), f32({2, 2}), f32({2, 2}), f32({2, 2})}, {variance}, 3},
                {{{"lr", 0.1}, {"step", 7}}, {f32({2, 2}), f32({2, 2}), f32({2, 2}), f32({2, 2})}, {variance}, 3}};
          },
  };
}

}  // namespace foreflow::ops::definitions
