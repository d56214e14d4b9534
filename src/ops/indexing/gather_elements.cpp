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

// Zeros of the shape of the data. Where samples are chosen from one by one, those of one sample are repeated, so that
// others may be elsewhere.
int emit_zeros_by_sample(GradBuilder& builder, size_t axis) {
  const Type data = tensor_operand(builder.call(), 0), indices = tensor_operand(builder.call(), 1);
  if (axis == 0 || !has_dims(data) || !has_dims(indices) || data.dims[0] != indices.dims[0]) return emit_zeros(builder);
  std::vector<int64_t> shape(data.dims.begin(), data.dims.end());
  shape[0]       = 1;
  const int zero = builder.emit("ConstantOfShape", {{"shape", shape}, {"value", Array(data.dtype, {1})}}, {})[0];
  return builder.emit("RepeatLike", {{"dim", int64_t{0}}, {"like_dim", int64_t{0}}},
                      {zero, builder.output_gradient(0)})[0];
}

// What was chosen is added up where it came from.
void grad(GradBuilder& builder) {
  const size_t rank = tensor_operand(builder.call(), 0).dims.size();
  const size_t axis = axis_attribute(builder.call(), rank, 0);
  const Attributes attributes{{"axis", static_cast<int64_t>(axis)}, {"reduction", "add"}};
  const std::vector<int> operands{emit_zeros_by_sample(builder, axis), builder.input(1), builder.output_gradient(0)};
  builder.set_input_gradient(0, builder.emit("ScatterElements", attributes, operands)[0]);
}

}  // namespace

OpDef row() {
  return {
      .name    = "GatherElements",
      .doc     = "data[a,n,b], indices[a,i,b] -> y[a,i,b] = data[a,indices[a,i,b],b], n at `axis`",
      .infer   = infer,
      .factors = factors,
      .work    = copies_by_index,
      .eval    = eval,
      .grad    = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"axis", int64_t{1}}}, {f32({2, 3}), i64({2, 2})}, {{1, Array::of_ints({2, 2}, {0, 0, -1, 1})}}},
                {{}, {f32({3, 4}), i64({2, 4})}, {{1, Array::of_ints({2, 4}, {2, 0, 1, 1, 0, 1, 1, 2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_elements
