// ArgMax and ArgMin: `axis` (0), `keepdims` (1), and `select_last_index` (0), which says which of
// several equal elements is chosen.
#pragma once

#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/views.h"

namespace foreflow::ops {

std::vector<Type> infer_arg_extreme(const OpCall& call);
Factors arg_extreme_factors(const OpCall& call);
Work arg_extreme_work(const OpCall& call, std::span<const Type> outputs);
std::vector<Sample> arg_extreme_samples();

// Every element's offset along the axis from where its lane starts.
struct ArgLanes {
  Offsets starts;
  int64_t length = 0, stride = 1;
};
ArgLanes arg_lanes(const OpCall& call, const Dims& dims);
Dims without_axis(const OpCall& call, Dims dims);

// kBeats(a, b): whether a is better than b.
template <auto kBeats>
std::vector<Array> eval_arg_extreme(const OpCall& call) {
  const Array& x       = value_of(call, 0);
  const ArgLanes lanes = arg_lanes(call, x.dims());
  const bool last      = call.attributes.int_or("select_last_index", 0) != 0;
  return {with_number_type(x.dtype(), [&](auto zero) {
    const auto values = values_of<decltype(zero)>(x);
    std::vector<int64_t> best;
    for (const int64_t start : lanes.starts) {
      const auto element = [&](int64_t i) { return nth(values, start + i * lanes.stride); };
      int64_t found      = 0;
      for (int64_t i = 1; i < lanes.length; ++i) {
        if (kBeats(element(i), element(found)) || (last && element(i) == element(found))) found = i;
      }
      best.push_back(found);
    }
    return Array::of_ints(without_axis(call, x.dims()), best);
  })};
}

template <auto kBeats>
OpDef arg_extreme(std::string_view name, std::string_view doc) {
  return {
      .name            = name,
      .doc             = doc,
      .gives_positions = true,
      .whole_because   = "it compares all elements along that dimension",
      .infer           = infer_arg_extreme,
      .factors         = arg_extreme_factors,
      .work            = arg_extreme_work,
      .eval            = eval_arg_extreme<kBeats>,
      .samples         = arg_extreme_samples,
  };
}

}  // namespace foreflow::ops
