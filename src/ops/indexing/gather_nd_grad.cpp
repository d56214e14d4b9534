#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/common/indices.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::gather_nd_grad {

namespace {

// indices[b.., i.., depth of n..], dy[b.., i.., s..]; the attribute `sizes` is [n..].
struct Sizes {
  size_t batch = 0, lead = 0;
  Dims data;  // b.., n.., s..
};

Sizes sizes_of(const OpCall& call) {
  const Type indices = tensor_operand(call, 0), dy = tensor_operand(call, 1);
  const std::vector<int64_t> chosen = call.attributes.get_ints("sizes");
  const int64_t batch               = call.attributes.int_or("batch_dims", 0);
  const auto rank                   = static_cast<int64_t>(indices.dims.size());
  if (batch < 0 || batch >= rank || indices.dims.back() != static_cast<int64_t>(chosen.size()))
    call.fail("indices " + to_string(indices.dims) + " do not choose in " + std::to_string(chosen.size()) +
              " dimensions behind batch_dims = " + std::to_string(batch));
  Sizes sizes{static_cast<size_t>(batch), indices.dims.size() - 1, {}};
  for (size_t i = 0; i < sizes.batch; ++i) sizes.data.push_back(indices.dims[i]);
  for (const int64_t size : chosen) sizes.data.push_back(size);
  for (size_t i = sizes.lead; i < dy.dims.size(); ++i) sizes.data.push_back(dy.dims[i]);
  return sizes;
}

std::vector<Type> infer(const OpCall& call) {
  const Type indices = tensor_operand(call, 0), dy = tensor_operand(call, 1);
  if (!has_rank(indices) || !has_rank(dy)) return {without_dims(dy)};
  return {with_dims(dy, sizes_of(call).data)};
}

// Tuples of one sample add up to what it has; those of other dimensions to a term of the sum.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Sizes sizes        = sizes_of(call);
  const std::string lead   = letters(sizes.lead);
  const size_t depth       = call.attributes.get_ints("sizes").size();
  const std::string slices = letters(sizes.data.size() - sizes.batch - depth, static_cast<char>('a' + lead.size()));
  return {.text = factor_text(call, {lead + ".", lead + slices}, {lead.substr(0, sizes.batch) + dots(depth) + slices})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &indices = value_of(call, 0), &dy = value_of(call, 1);
  const Sizes sizes    = sizes_of(call);
  const Offsets places = slice_offsets(call, sizes.data, indices, static_cast<int64_t>(sizes.batch));
  const auto slopes    = values_of<double>(dy);
  std::vector<double> sums(static_cast<size_t>(ir::element_count(sizes.data)));
  for (size_t i = 0; i < places.size(); ++i) nth(sums, places[i]) += slopes[i];
  return {array_of(dy.dtype(), sizes.data, sums)};
}

std::vector<Sample> samples() {
  return {{{{"sizes", std::vector<int64_t>{3, 2}}},
           {i64({2, 2}), f32({2, 4})},
           {{0, Array::of_ints({2, 2}, {0, 1, 0, 1})}}},
          {{{"sizes", std::vector<int64_t>{3}}, {"batch_dims", int64_t{1}}},
           {i64({2, 4, 1}), f32({2, 4, 2})},
           {{0, Array::of_ints({2, 4, 1}, {2, 0, -1, 2, 1, 1, 0, 2})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "GatherNDGrad",
      .doc =
          "indices[b..,i..,k], dy[b..,i..,s..], the k dimensions `sizes` = [n..] -> ddata[b..,n..,s..]: adds "
          "every slice of dy to the one that it was gathered from",
      .domain         = "foreflow",
      .linear_operand = [](const OpCall&) -> std::optional<size_t> { return 1; },
      .whole_because  = "its indices may point anywhere along that dimension",
      .infer          = infer,
      .factors        = factors,
      .work           = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[1])); },
      .eval           = eval,
      .samples        = samples,
  };
}

}  // namespace foreflow::ops::definitions::gather_nd_grad
