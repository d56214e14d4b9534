#include "ops/elements.h"
#include "ops/indices.h"
#include "ops/letters.h"

namespace foreflow::ops::definitions {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type data = tensor_operand(call, 0), updates = tensor_operand(call, 2);
  tensor_operand(call, 1);
  common_dtype(call, std::vector<Type>{data, updates});
  return {data};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims data = tensor_operand(call, 0).dims, indices = tensor_operand(call, 1).dims;
  const auto depth         = static_cast<size_t>(indices.back());
  const std::string slices = letters(data.size() - depth);
  const std::string whole  = dots(depth) + slices;
  return {.text = factor_text(call, {whole, dots(indices.size()), dots(indices.size() - 1) + slices}, {whole})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& data = value_of(call, 0);
  return {scattered(call, data, slice_offsets(call, data.dims(), value_of(call, 1), 0), value_of(call, 2))};
}

}  // namespace

OpDef scatter_nd() {
  return {
      .name = "ScatterND",
      .doc =
          "data[n..,s..], indices[i..,k], updates[i..,s..] -> data with the indexed slices replaced or combined by "
          "`reduction`",
      .infer   = infer,
      .factors = factors,
      .work    = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval    = eval,
      .samples =
          [] {
            const Array rows = Array::of_ints({2, 1}, {2, -4});
            return std::vector<Sample>{
                {{}, {f32({4, 2}), i64({2, 1}), f32({2, 2})}, {{1, rows}}},
                {{{"reduction", std::string("add")}}, {f32({4}), i64({2, 1}), f32({2})}, {{1, rows}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
