#include "ops/common/axes.h"
#include "ops/common/elements.h"
#include "ops/common/letters.h"

namespace foreflow::ops::definitions::gather_elements {

namespace {

std::vector<Type> infer(const OpCall& call) {
  check_element_indices(call);
  const Type data = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (has_rank(data)) axis_attribute(call, data.dims.size(), 0);
  if (has_rank(indices)) return {with_dims(data, indices.dims)};
  return {has_rank(data) ? with_dims(data, Dims(data.dims.size(), Dims::kUnknown)) : data};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string text = element_letters(call, axis_attribute(call, call.inputs[0].dims.size(), 0));
  return {.text = factor_text(call, {text, text}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &data = value_of(call, 0), &indices = value_of(call, 1);
  const size_t axis = axis_attribute(call, data.dims().size(), 0);
  return {take(data, indices.dims(), element_offsets(call, data.dims(), indices, axis))};
}

// Gradients of elements that were chosen are added up where the elements came from.
void grad(GradBuilder& builder) {
  const size_t rank = tensor_operand(builder.call(), 0).dims.size();
  const size_t axis = axis_attribute(builder.call(), rank, 0);
  const Attributes attributes{{"axis", static_cast<int64_t>(axis)}, {"reduction", "add"}};
  const std::vector<int> operands{emit_zeros(builder, axis), builder.input(1), builder.output_gradient(0)};
  builder.set_input_gradient(0, builder.emit("ScatterElements", attributes, operands)[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "GatherElements",
      .doc           = "data[a,n,b], indices[a,i,b] -> y[a,i,b] = data[a,indices[a,i,b],b], n at `axis`",
      .whole_because = "its indices may point anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = copies_by_index,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"axis", int64_t{1}}}, {f32({2, 3}), i64({2, 2})}, {{1, Array::of_ints({2, 2}, {0, 0, -1, 1})}}},
                {{}, {f32({3, 4}), i64({2, 4})}, {{1, Array::of_ints({2, 4}, {2, 0, 1, 1, 0, 1, 1, 2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_elements
