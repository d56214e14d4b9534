#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::size {

OpDef row() {
  return {
      .name  = "Size",
      .doc   = "x[..] -> number of its elements, Int64",
      .role  = Role::shape,
      .infer = [](const OpCall& call) -> std::vector<Type> {
        tensor_operand(call, 0);
        return {i64({})};
      },
      .factors = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = factor_text(call, {}, {""})} : Factors{};
      },
      .work = nothing,
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {Array::scalar(element_count(tensor_operand(call, 0).dims))};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2})}}, {{}, {f32({})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::size
