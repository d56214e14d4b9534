#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::shape {

namespace {

// The dimensions [start, end) of opset 15, clamped into the rank.
Dims selected(const OpCall& call, const Dims& dims) {
  const auto rank     = static_cast<int64_t>(dims.size());
  const auto clamp    = [rank](int64_t axis) { return std::clamp(axis < 0 ? axis + rank : axis, int64_t{0}, rank); };
  const int64_t first = clamp(call.attributes.int_or("start", 0));
  const int64_t last  = clamp(call.attributes.int_or("end", rank));
  Dims result;
  for (int64_t axis = first; axis < last; ++axis) result.push_back(nth(dims, axis));
  return result;
}

}  // namespace

OpDef row() {
  return {
      .name  = "Shape",
      .doc   = "x[d0,d1,..] -> [d0,d1,..] from `start` to before `end`, Int64",
      .role  = Role::shape,
      .infer = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        if (!has_rank(x)) return {i64({Dims::kUnknown})};
        return {i64({static_cast<int64_t>(selected(call, x.dims).size())})};
      },
      .factors = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = dots(call.inputs[0].dims.size()) + "->."} : Factors{};
      },
      .work = nothing,
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const Dims dims = selected(call, tensor_operand(call, 0).dims);
        return {Array::of_ints({static_cast<int64_t>(dims.size())}, {dims.begin(), dims.end()})};
      },
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {}, .inputs = {f32({4, 2})}},
                                       {.attributes = {{"start", -2}, {"end", 3}}, .inputs = {f32({5, 3, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::shape
