#include "ops/common/letters.h"
#include "ops/common/operands.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::identity {

OpDef row() {
  return {
      .name            = "Identity",
      .doc             = "x[..] -> x[..]",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .copy            = Copy::same,
      .infer           = [](const OpCall& call) -> std::vector<Type> { return {moved(operand(call, 0), {})}; },
      .factors         = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = all + "->" + all};
      },
      .work = nothing,
      .eval = [](const OpCall& call) -> std::vector<Array> { return {value_of(call, 0)}; },
      .grad = [](GradBuilder& builder) { builder.set_input_gradient(0, builder.output_gradient(0)); },
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {}, .inputs = {f32({4, 2})}},
                                       {.attributes = {}, .inputs = {i64({3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::identity
