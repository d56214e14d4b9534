#include "ops/common/update.h"

namespace foreflow::ops::definitions::assign {

// Collectives write where they are told, so that nothing is copied.
OpDef row() {
  return {
      .name     = "Assign",
      .doc      = "w, new -> new in the memory of w, for tensors or tuples of them",
      .domain   = "foreflow",
      .role     = Role::optimizer,
      .foldable = false,
      .infer    = [](const OpCall& call) -> std::vector<Type> {
        if (call.arity() != 2) call.fail("has " + std::to_string(call.arity()) + " operands; two would be right");
        return {infer_update(call, {call.inputs.begin(), call.inputs.end()})};
      },
      .factors = step_factors,
      .work    = nothing,
      .eval    = [](const OpCall& call) -> std::vector<Array> { return {value_of(call, 1)}; },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{{}, {f32({4, 2}), f32({4, 2})}}, {{}, {pair, pair}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::assign
