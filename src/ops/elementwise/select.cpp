#include "ops/common/operands.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::select {

namespace {

size_t index_of(const OpCall& call, size_t elements) {
  const int64_t index = call.attributes.get_int("index");
  if (index < 0 || index >= static_cast<int64_t>(elements)) {
    call.fail("index " + std::to_string(index) + " of a tuple of " + std::to_string(elements) +
              " elements; it should lie in [0, " + std::to_string(elements) + ")");
  }
  return static_cast<size_t>(index);
}

int emit_zeros(GradBuilder& builder, int value, const Type& type) {
  if (!type.is_tuple()) return type.dtype == DType::boolean ? value : builder.emit("Sub", {}, {value, value})[0];
  std::vector<int> elements = builder.emit("UnpackTuple", {}, {value}, type.elements.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = emit_zeros(builder, elements[i], type.elements[i]);
  return builder.emit("PackTuple", {}, elements)[0];
}

}  // namespace

OpDef row() {
  return {
      .name            = "Select",
      .doc             = "a tuple -> its element `index`",
      .domain          = "foreflow",
      .role            = Role::view,
      .positional      = {"index"},
      .aliases_operand = true,
      .infer           = [](const OpCall& call) -> std::vector<Type> {
        const Type& tuple = operand(call, 0);
        if (tuple.kind == Type::Kind::unknown) return {Type{}};
        if (!tuple.is_tuple()) call.fail("the operand is " + to_string(tuple) + "; a tuple would be right");
        return {moved(tuple.elements[index_of(call, tuple.elements.size())], {})};
      },
      .factors = [](const OpCall&) -> Factors { return {}; },
      .work    = nothing,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        const std::vector<Array>& elements = value_of(call, 0).elements();
        return {elements[index_of(call, elements.size())]};
      },
      // The other elements get zeros.
      .grad =
          [](GradBuilder& builder) {
            const std::vector<Type>& types = builder.call().inputs[0].elements;
            const size_t chosen            = index_of(builder.call(), types.size());
            std::vector<int> elements      = builder.emit("UnpackTuple", {}, {builder.input(0)}, types.size());
            for (size_t i = 0; i < types.size(); ++i) {
              elements[i] = i == chosen ? builder.output_gradient(0) : emit_zeros(builder, elements[i], types[i]);
            }
            builder.set_input_gradient(0, builder.emit("PackTuple", {}, elements)[0]);
          },
      .samples =
          [] {
            const Type pair = Type::tuple({f32({4, 2}), f32({2})});
            return std::vector<Sample>{{{{"index", 0}}, {pair}}, {{{"index", 1}}, {pair}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::select
