#include <algorithm>

#include "ops/common/indices.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::gather_nd {

namespace {

int64_t batch_dims(const OpCall& call) {
  const int64_t count = call.attributes.int_or("batch_dims", 0);
  if (count < 0 || count > static_cast<int64_t>(Dims::kMaxRank)) {
    call.fail("batch_dims is " + std::to_string(count) + "; at least 0 and less than the rank would be right");
  }
  return count;
}

// data[b.., n.., s..], indices[b.., i.., depth of n..] -> [b.., i.., s..]
Dims gathered(const OpCall& call, const Dims& data, const Dims& indices) {
  const auto depth = static_cast<size_t>(batch_dims(call) + indices.back());
  if (indices.back() < 0 || depth > data.size())
    call.fail("the last dimension of the indices is larger than the rank of the data");
  Dims result = indices;
  result.erase(indices.size() - 1);
  for (size_t d = depth; d < data.size(); ++d) result.push_back(data[d]);
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type data = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (!has_rank(data) || !has_rank(indices)) return {without_dims(data)};
  if (indices.dims.empty()) call.fail("the indices are one number; a tensor of rank 1 or more would be right");
  if (indices.dims.back() == Dims::kUnknown) return {without_dims(data)};
  return {with_dims(data, gathered(call, data.dims, indices.dims))};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims data_dims = tensor_operand(call, 0).dims, index_dims = tensor_operand(call, 1).dims;
  if (index_dims.empty()) return {};
  const auto batch         = static_cast<size_t>(batch_dims(call));
  const size_t depth       = static_cast<size_t>(index_dims.back());
  const std::string lead   = letters(index_dims.size() - 1);
  const std::string slices = letters(data_dims.size() - batch - depth, static_cast<char>('a' + lead.size()));
  return {.text = factor_text(call, {lead.substr(0, batch) + dots(depth) + slices, lead + "."}, {lead + slices})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &data = value_of(call, 0), &indices = value_of(call, 1);
  return {take(data, gathered(call, data.dims(), indices.dims()),
               slice_offsets(call, data.dims(), indices, batch_dims(call)))};
}

// Gradients of elements that were chosen are added up where the elements came from.
void grad(GradBuilder& builder) {
  const Type data = tensor_operand(builder.call(), 0), indices = tensor_operand(builder.call(), 1);
  if (!has_dims(data) || !has_dims(indices)) builder.call().fail("shapes must be known to differentiate");
  const auto first = data.dims.begin() + batch_dims(builder.call());
  const Attributes attributes{{"sizes", std::vector<int64_t>(first, first + indices.dims.back())},
                              {"batch_dims", batch_dims(builder.call())}};
  builder.set_input_gradient(
      0, builder.emit("GatherNDGrad", attributes, {builder.input(1), builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "GatherND",
      .doc  = "data[b..,n..,s..], indices[b..,i..,k] -> y[b..,i..,s..]: k indices choose in the k dimensions n..",
      .whole_because = "its indices may point anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = copies_by_index,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({3, 2, 4}), i64({2, 2})}, {{1, Array::of_ints({2, 2}, {0, 1, -1, 0})}}},
                {{}, {f32({3, 2}), i64({3, 1})}, {{1, Array::of_ints({3, 1}, {2, 0, 2})}}},
                {{{"batch_dims", int64_t{1}}}, {f32({2, 3, 2}), i64({2, 1})}, {{1, Array::of_ints({2, 1}, {2, 0})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_nd
