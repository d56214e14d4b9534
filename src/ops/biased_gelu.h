// The fused activations of com.microsoft: Gelu(x + bias), the bias along the last dimension.
#pragma once

#include "ops/elementwise.h"
#include "ops/gelu_formula.h"

namespace foreflow::ops {

template <double (*kGelu)(double)>
OpDef biased_gelu(std::string_view name, std::string_view doc) {
  return {
      .name   = name,
      .doc    = doc,
      .domain = "com.microsoft",
      .infer  = [](const OpCall& call) -> std::vector<Type> {
        return {infer_elementwise(call, Accepts::floats, Gives::same)};
      },
      .factors = broadcast_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kGeluFlops + static_cast<double>(call.arity() - 1)) * count_of(outputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const Array& x = value_of(call, 0);
        if (!call.has(1))
          return {map_elements(x, x.dtype(), [](auto number) { return kGelu(static_cast<double>(number)); })};
        return {map_pairs(call, x, value_of(call, 1), x.dtype(),
                          [](auto number, auto bias) { return kGelu(static_cast<double>(number + bias)); })};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4}), f32({4})}}, {{}, {f32({2, 3, 2}), f32({2})}}};
          },
  };
}

}  // namespace foreflow::ops
