#include <algorithm>

#include "ops/elementwise.h"
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
  if (indices.empty() || indices.back() > static_cast<int64_t>(data.size())) return {};
  const auto depth         = static_cast<size_t>(indices.back());
  const std::string slices = letters(data.size() - depth);
  const std::string whole  = dots(depth) + slices;
  return {.text = factor_text(call, {whole, dots(indices.size()), dots(indices.size() - 1) + slices}, {whole})};
}

template <class T>
T combined(const OpCall& call, const std::string& reduction, T old, T update) {
  if (reduction == "none") return update;
  if (reduction == "add") return wrapping(std::plus{}, old, update);
  if (reduction == "mul") return wrapping(std::multiplies{}, old, update);
  if (reduction == "max") return std::max(old, update);
  if (reduction == "min") return std::min(old, update);
  call.fail("reduction \"" + reduction + "\"; none, add, mul, max or min would be right");
}

std::vector<Array> eval(const OpCall& call) {
  const Array &data = value_of(call, 0), &updates = value_of(call, 2);
  const Offsets offsets       = slice_offsets(call, data.dims(), value_of(call, 1), 0);
  const std::string reduction = call.attributes.string_or("reduction", "none");
  if (static_cast<size_t>(updates.size()) != offsets.size()) {
    call.fail("there are not as many updates as indexed elements");
  }
  return {with_number_type(data.dtype(), [&](auto zero) {
    using T                    = decltype(zero);
    std::vector<T> values      = values_of<T>(data);
    const std::vector<T> fresh = values_of<T>(updates);
    for (size_t i = 0; i < offsets.size(); ++i) {
      T& value = values[static_cast<size_t>(offsets[i])];
      value    = combined(call, reduction, value, fresh[i]);
    }
    return array_of<T>(data.dtype(), data.dims(), values);
  })};
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
