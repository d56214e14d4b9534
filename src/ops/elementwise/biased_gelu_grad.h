// Gradients of the fused activations of com.microsoft by x: dy * slope of Gelu at x + bias.
#pragma once

#include "foreflow/base/nth.h"
#include "ops/common/elementwise.h"
#include "ops/common/gelu_formula.h"

namespace foreflow::ops {

template <GeluForm kForm>
OpDef biased_gelu_grad(std::string_view name, std::string_view doc) {
  return {
      .name      = name,
      .doc       = doc,
      .domain    = "com.microsoft",
      .adds_bias = true,
      .infer     = [](const OpCall& call) -> std::vector<Type> {
        if (call.arity() != 3)
          call.fail("has " + std::to_string(call.arity()) + " operands; dy, x and bias would be right");
        return {infer_elementwise(call, Accepts::floats, Gives::same)};
      },
      .factors = broadcast_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (2 * kGeluFlops + 1) * count_of(outputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const Array& dy       = value_of(call, 0);
        const Dims& dims      = dy.dims();
        const auto bias       = values_of<double>(value_of(call, 2));
        const Offsets bias_at = broadcast_offsets(value_of(call, 2).dims(), dims);
        const auto x          = values_of<double>(value_of(call, 1));
        auto dx               = values_of<double>(dy);
        for (size_t i = 0; i < dx.size(); ++i) dx[i] *= gelu_slope(x[i] + nth(bias, bias_at[i]), kForm);
        return {array_of(dy.dtype(), dims, dx)};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4}), f32({2, 4}), f32({4})}},
                                       {{}, {f32({2, 3, 2}), f32({2, 3, 2}), f32({2})}}};
          },
  };
}

}  // namespace foreflow::ops
