#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::gather {

namespace {

// data[a.., n, b..], indices[i..] -> [a.., i.., b..]
Dims gathered(const Dims& data, size_t axis, const Dims& indices) {
  Dims result;
  for (size_t d = 0; d < axis; ++d) result.push_back(data[d]);
  for (const int64_t dim : indices) result.push_back(dim);
  for (size_t d = axis + 1; d < data.size(); ++d) result.push_back(data[d]);
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type data = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (indices.is_tensor() && ir::is_float(indices.dtype)) call.fail("the indices are floats; integers would be right");
  if (!has_rank(data)) return {without_dims(data)};
  const size_t axis = axis_attribute(call, data.dims.size(), 0);
  return {has_rank(indices) ? with_dims(data, gathered(data.dims, axis, indices.dims)) : without_dims(data)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const size_t rank         = tensor_operand(call, 0).dims.size();
  const size_t axis         = axis_attribute(call, rank, 0);
  std::string data          = letters(rank);
  const std::string indices = letters(tensor_operand(call, 1).dims.size(), static_cast<char>('a' + rank));
  const std::string result  = data.substr(0, axis) + indices + data.substr(axis + 1);
  data[axis]                = '.';
  return {.text = factor_text(call, {data, indices}, {result})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &data = value_of(call, 0), &indices = value_of(call, 1);
  const size_t axis    = axis_attribute(call, data.dims().size(), 0);
  const int64_t choice = data.dims()[axis];
  Offsets strides      = strides_of(data.dims());
  const int64_t step   = strides[axis];
  // `before` is where each row of the result starts without its index, `after` where every element lies inside a row.
  Dims before, after;
  for (size_t d = 0; d < data.dims().size(); ++d) {
    if (d < axis) before.push_back(data.dims()[d]);
    if (d > axis) after.push_back(data.dims()[d]);
  }
  const Offsets outer               = offsets_of(before, std::span(strides).first(axis)),
                inner               = offsets_of(after, std::span(strides).subspan(axis + 1));
  const std::vector<int64_t> chosen = indices.to_ints();
  Offsets offsets;
  for (const int64_t start : outer) {
    for (const int64_t index : chosen) {
      const int64_t row = index < 0 ? index + choice : index;
      if (row < 0 || row >= choice) {
        call.fail("index " + std::to_string(index) + " of a dimension of " + std::to_string(choice));
      }
      for (const int64_t element : inner) offsets.push_back(start + row * step + element);
    }
  }
  return {take(data, gathered(data.dims(), axis, indices.dims()), offsets)};
}

void grad(GradBuilder& builder) {
  if (!builder.wanted(0)) return;
  const Type data = tensor_operand(builder.call(), 0);
  if (!has_dims(data)) builder.call().fail("the shape of the data must be known to differentiate");
  const size_t axis = axis_attribute(builder.call(), data.dims.size(), 0);
  const Attributes attributes{{"axis", static_cast<int64_t>(axis)}, {"dim", data.dims[axis]}};
  builder.set_input_gradient(0,
                             builder.emit("GatherGrad", attributes, {builder.input(1), builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name       = "Gather",
      .doc        = "data[a..,n,b..], indices[i..] -> y[a..,i..,b..], n at `axis`; negative indices count from the end",
      .vocabulary = {ir::VocabularyForm::Kind::lookup, "GatherPart"},
      .whole_because = "its indices may point anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = copies_by_index,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({5, 2}), i64({4})}, {{1, Array::of_ints({4}, {0, -1, 3, 3})}}},
                {{{"axis", int64_t{1}}}, {f32({2, 3, 4}), i64({2, 2})}, {{1, Array::of_ints({2, 2}, {2, 0, 1, 1})}}},
                {{}, {i64({3}), i64({})}, {{1, Array::scalar(int64_t{1})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather
