#include "foreflow/ir/countable.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/loss/vocabulary_part.h"

namespace foreflow::ops::definitions::gather_part_grad {

namespace {

// indices[i..], dy[i.., b..] -> [dim, b..]
std::vector<Type> infer(const OpCall& call) {
  part_of(call);
  const Type indices = tensor_operand(call, 0), dy = tensor_operand(call, 1);
  const int64_t rows = call.attributes.get_int("dim");
  if (rows < 0 || rows > ir::kMostElements)
    call.fail("dim is " + std::to_string(rows) + "; the number of rows of the part would be right");
  if (!has_rank(indices) || !has_rank(dy)) return {without_dims(dy)};
  if (dy.dims.size() < indices.dims.size())
    call.fail("dy has fewer dimensions than the indices; it should have the shape of GatherPart's result");
  Dims dims{rows};
  for (size_t d = 0; d < dy.dims.size(); ++d) {
    const bool looked_up = d < indices.dims.size();
    if (!looked_up) dims.push_back(dy.dims[d]);
    if (looked_up && has_dims(indices) && has_dims(dy) && indices.dims[d] != dy.dims[d]) {
      call.fail("indices are " + to_string(indices.dims) + " and dy " + to_string(dy.dims) +
                "; it should have the shape of GatherPart's result");
    }
  }
  return {with_dims(dy, dims)};
}

// Splitting the indices leaves partial sums.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string dy = letters(tensor_operand(call, 1).dims.size());
  const size_t indices = tensor_operand(call, 0).dims.size();
  return {.text = factor_text(call, {dy.substr(0, indices), dy}, {"." + dy.substr(indices)})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& dy           = value_of(call, 1);
  const VocabularyPart part = part_of(call);
  const Type result         = infer(call)[0];
  const auto slopes         = values_of<double>(dy);
  const auto chosen         = value_of(call, 0).to_ints();
  const size_t width        = chosen.empty() ? 0 : slopes.size() / chosen.size();
  std::vector<double> sums(static_cast<size_t>(ir::element_count(result.dims)));
  for (size_t i = 0; i < chosen.size(); ++i) {
    const auto row = part.position(call, chosen[i], result.dims[0]);
    for (size_t b = 0; row && b < width; ++b) sums[static_cast<size_t>(*row) * width + b] += slopes[i * width + b];
  }
  return {array_of(dy.dtype(), result.dims, sums)};
}

}  // namespace

OpDef row() {
  return {
      .name = "GatherPartGrad",
      .doc =
          "indices[i..], dy[i..,b..] -> ddata[dim,b..]: adds every row of dy to the row of ddata, of those from "
          "`first` on of `all`, that it was gathered from",
      .domain  = "foreflow",
      .infer   = infer,
      .factors = factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[1])); },
      .eval    = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{{"first", 2}, {"all", 6}, {"dim", 2}},
                                        {i64({4}), f32({4, 3})},
                                        {{0, Array::of_ints({4}, {3, 0, -4, 3})}}},
                                       {{{"first", 0}, {"all", 4}, {"dim", 3}},
                                        {i64({2, 2}), f32({2, 2, 2})},
                                        {{0, Array::of_ints({2, 2}, {2, 3, 0, 2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_part_grad
