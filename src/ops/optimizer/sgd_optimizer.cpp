#include "ops/common/update.h"

namespace foreflow::ops::definitions::sgd_optimizer {

namespace {

// Operands w1 .. wn, dw1 .. dwn.
size_t weights_of(const OpCall& call) {
  if (call.arity() == 0 || call.arity() % 2 != 0) {
    call.fail("has " + std::to_string(call.arity()) + " operands; weights and then as many gradients would be right");
  }
  return call.arity() / 2;
}

std::vector<Type> infer_sgd(const OpCall& call) {
  const size_t n = weights_of(call);
  std::vector<Type> types;
  for (size_t i = 0; i < n; ++i) types.push_back(infer_update(call, {call.inputs[i], call.inputs[n + i]}));
  return types;
}

// Splitting one weight leaves the others as they are, which letters cannot say; so only a single weight has them.
Factors sgd_factors(const OpCall& call) {
  if (!splittable(call) || weights_of(call) != 1) return {};
  const std::string all = letters(tensor_operand(call, 0).dims.size());
  return {.text = factor_text(call, {all, all}, {all})};
}

}  // namespace

OpDef row() {
  return {
      .name     = "SGDOptimizer",
      .doc      = "w1, .., wn, dw1, .., dwn -> w1 - lr * dw1, .., wn - lr * dwn: all weights of one device",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = infer_sgd,
      .factors  = sgd_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            double elements = 0;
            for (const Type& output : outputs) elements += count_of(output);
            return computes(call, outputs, 2 * elements);
          },
      .eval =
          [](const OpCall& call) {
            const size_t n = weights_of(call);
            std::vector<Array> updated;
            for (size_t i = 0; i < n; ++i)
              updated.push_back(descended(call, value_of(call, i), value_of(call, n + i), learning_rate(call, 0.01)));
            return updated;
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({4, 2}), f32({4, 2})}},
                {.attributes = {{"lr", 0.5}}, .inputs = {f32({4, 2}), f32({2}), f32({4, 2}), f32({2})}, .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::sgd_optimizer
