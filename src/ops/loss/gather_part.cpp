#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/vocabulary_part.h"

namespace foreflow::ops::definitions::gather_part {

namespace {

// data[n, b..], indices[i..] -> [i.., b..]
std::vector<Type> infer(const OpCall& call) {
  part_of(call);
  const Type data = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (indices.is_tensor() && ir::is_float(indices.dtype)) call.fail("the indices are floats; integers would be right");
  if (!has_rank(data) || !has_rank(indices)) return {without_dims(data)};
  if (data.dims.empty()) call.fail("the table is a scalar; rows would be right");
  Dims dims = indices.dims;
  for (size_t d = 1; d < data.dims.size(); ++d) dims.push_back(data.dims[d]);
  return {with_dims(data, dims)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const size_t rank         = tensor_operand(call, 0).dims.size();
  const std::string row     = letters(rank).substr(1);
  const std::string indices = letters(tensor_operand(call, 1).dims.size(), static_cast<char>('a' + rank));
  return {.text = factor_text(call, {"." + row, indices}, {indices + row})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& data         = value_of(call, 0);
  const VocabularyPart part = part_of(call);
  const auto values         = values_of<double>(data);
  const int64_t rows        = data.dims()[0];
  const size_t width        = rows == 0 ? 0 : values.size() / static_cast<size_t>(rows);
  std::vector<double> result;
  for (const int64_t index : value_of(call, 1).to_ints()) {
    const auto row = part.position(call, index, rows);
    for (size_t i = 0; i < width; ++i) result.push_back(row ? values[static_cast<size_t>(*row) * width + i] : 0);
  }
  return {array_of(data.dtype(), infer(call)[0].dims, result)};
}

void grad(GradBuilder& builder) {
  const Type data = tensor_operand(builder.call(), 0);
  if (!has_dims(data)) builder.call().fail("the shape of the data must be known to differentiate");
  Attributes attributes = builder.call().attributes;
  attributes.set("dim", data.dims[0]);
  builder.set_input_gradient(
      0, builder.emit("GatherPartGrad", attributes, {builder.input(1), builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "GatherPart",
      .doc =
          "data[n,b..], the rows from `first` on of a table of `all` rows, indices[i..] -> y[i..,b..]: zeros for rows "
          "of other parts",
      .domain        = "foreflow",
      .whole_because = "its indices may point anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = copies_by_index,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"first", 2}, {"all", 6}}, {f32({2, 3}), i64({4})}, {{1, Array::of_ints({4}, {3, 0, -4, 5})}}},
                {{{"first", 0}, {"all", 4}},
                 {f32({3, 2, 2}), i64({2, 2})},
                 {{1, Array::of_ints({2, 2}, {2, 3, 0, 2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_part
