#include <algorithm>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::embedding_grad {

namespace {

// Operands: dy, indices, rows, padding_idx (optional), scale_grad_by_freq (optional).
constexpr size_t kRows = 2, kPadding = 3, kByFrequency = 4;

std::vector<Type> infer(const OpCall& call) {
  const Type dy = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (call.arity() <= kRows) call.fail("needs dy, indices and the number of rows");
  if (has_dims(dy) && has_dims(indices)) {
    Dims rows = dy.dims;
    if (!rows.empty()) rows.erase(rows.size() - 1);
    if (dy.dims.empty() || rows != indices.dims)
      call.fail("dy is " + to_string(dy.dims) + "; it should be the indices, " + to_string(indices.dims) +
                ", and one dimension more");
  }
  if (!has_rank(dy)) return {dy.is_tensor() ? with_dims(dy, {Dims::kUnknown, Dims::kUnknown}) : dy};
  const int64_t rows = call.known[kRows] == nullptr ? Dims::kUnknown : call.known[kRows]->to_ints().at(0);
  return {with_dims(dy, {rows, dy.dims.back()})};
}

std::vector<Array> eval(const OpCall& call) {
  const Type type       = infer(call)[0];
  const auto width      = static_cast<size_t>(type.dims[1]);
  const int64_t padding = call.has(kPadding) ? value_of(call, kPadding).to_ints().at(0) : -1;
  const bool average    = call.has(kByFrequency) && value_of(call, kByFrequency).at(0) != 0;
  const auto chosen     = value_of(call, 1).to_ints();
  const auto dy         = values_of<double>(value_of(call, 0));
  std::vector<double> sums(static_cast<size_t>(element_count(type.dims)));
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] == padding) continue;
    if (chosen[i] < 0 || chosen[i] >= type.dims[0])
      call.fail("index " + std::to_string(chosen[i]) + " of " + std::to_string(type.dims[0]) + " rows");
    const auto count = static_cast<double>(average ? std::count(chosen.begin(), chosen.end(), chosen[i]) : 1);
    for (size_t c = 0; c < width; ++c) sums[static_cast<size_t>(chosen[i]) * width + c] += dy[i * width + c] / count;
  }
  return {array_of(type.dtype, type.dims, sums)};
}

// Splitting the indices leaves partial sums.
Factors factors(const OpCall& call) {
  if (!splittable(call) || call.known[kRows] == nullptr || call.has(kByFrequency)) return {};
  const std::string dy = letters(tensor_operand(call, 0).dims.size());
  return {.text = factor_text(call, {dy, dy.substr(0, dy.size() - 1)}, {"." + dy.substr(dy.size() - 1)})};
}

}  // namespace

OpDef row() {
  return {
      .name = "EmbeddingGrad",
      .doc =
          "dy[i..,w], indices[i..], rows, padding_idx, scale_grad_by_freq -> dweight[rows,w], as PyTorch's "
          "embedding_backward",
      .domain        = "foreflow",
      .whole_because = "its indices may point anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval          = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> indices{1, Array::of_ints({2, 2}, {3, 0, 1, 3})};
            const std::pair<size_t, Array> rows{kRows, Array::scalar(int64_t{5})};
            return std::vector<Sample>{
                {{},
                 {f32({2, 2, 4}), i64({2, 2}), i64({}), i64({})},
                 {indices, rows, {kPadding, Array::scalar(int64_t{1})}}},
                {{},
                 {f32({2, 2, 3}), i64({2, 2}), i64({}), i64({}), boolean({})},
                 {indices, rows, {kPadding, Array::scalar(int64_t{-1})}, {kByFrequency, Array::scalar(int64_t{1})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::embedding_grad
