#include "ops/common/work.h"

namespace foreflow::ops::definitions::pack_tuple {

OpDef row() {
  return {
      .name            = "PackTuple",
      .doc             = "x1, x2, .. -> the tuple of them",
      .domain          = "foreflow",
      .role            = Role::view,
      .aliases_operand = true,
      .tuple           = ir::Tuple::packs,
      .infer           = [](const OpCall& call) -> std::vector<Type> {
        std::vector<Type> elements;
        for (const Type& input : call.inputs) elements.push_back(moved(input, {}));
        return {Type::tuple(std::move(elements))};
      },
      .factors = [](const OpCall&) -> Factors { return {}; },
      .work    = nothing,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        std::vector<Array> elements;
        for (size_t i = 0; i < call.arity(); ++i) elements.push_back(value_of(call, i));
        return {Array::tuple(std::move(elements))};
      },
      .grad =
          [](GradBuilder& builder) {
            const size_t count   = builder.call().arity();
            const auto gradients = builder.emit("UnpackTuple", {}, {builder.output_gradient(0)}, count);
            for (size_t i = 0; i < count; ++i) {
              if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
            }
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), f32({2})}}, {{}, {i64({3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::pack_tuple
