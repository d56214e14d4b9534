#include "ops/update.h"

namespace foreflow::ops::definitions {

OpDef optimizer() {
  return {
      .name     = "Optimizer",
      .doc      = "w, dw -> w - lr * dw, for a tensor or a tuple of them",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = [](const OpCall& call) -> std::vector<Type> {
        if (call.arity() != 2)
          call.fail("has " + std::to_string(call.arity()) + " operands; a weight and its gradient would be right");
        return {infer_update(call, {call.inputs[0], call.inputs[1]})};
      },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = factor_text(call, {all, all}, {all})};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {descended(call, value_of(call, 0), value_of(call, 1), learning_rate(call, 0.01))};
      },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{{}, {f32({4, 2}), f32({4, 2})}}, {{{"lr", 0.5}}, {pair, pair}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
