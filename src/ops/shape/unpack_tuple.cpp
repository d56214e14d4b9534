#include "ops/common/operands.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::unpack_tuple {

namespace {

void check_count(const OpCall& call, size_t elements) {
  if (call.outputs != elements) {
    call.fail("the tuple has " + std::to_string(elements) + " elements; as many results would be right, not " +
              std::to_string(call.outputs));
  }
}

}  // namespace

OpDef row() {
  return {
      .name            = "UnpackTuple",
      .doc             = "a tuple -> its elements, all of them",
      .domain          = "foreflow",
      .role            = Role::view,
      .aliases_operand = true,
      .tuple           = ir::Tuple::unpacks,
      .infer           = [](const OpCall& call) -> std::vector<Type> {
        const Type& tuple = operand(call, 0);
        if (tuple.kind == Type::Kind::unknown) return std::vector<Type>(call.outputs);
        if (!tuple.is_tuple()) call.fail("the operand is " + to_string(tuple) + "; a tuple would be right");
        check_count(call, tuple.elements.size());
        return moved(tuple, {}).elements;
      },
      .factors = [](const OpCall&) -> Factors { return {}; },
      .work    = nothing,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        check_count(call, value_of(call, 0).elements().size());
        return value_of(call, 0).elements();
      },
      .grad =
          [](GradBuilder& builder) {
            std::vector<int> gradients;
            for (size_t i = 0; i < builder.call().outputs; ++i) gradients.push_back(builder.output_gradient(i));
            builder.set_input_gradient(0, builder.emit("PackTuple", {}, gradients)[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {}, .inputs = {Type::tuple({f32({4, 2}), f32({2})})}, .outputs = 2},
                {{}, {Type::tuple({i64({3})})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::unpack_tuple
