// The fused activations of com.microsoft: Gelu(x + bias), the bias along the last dimension.
#pragma once

#include "ops/common/elementwise.h"
#include "ops/common/gelu_formula.h"

namespace foreflow::ops {

// dx = dy slope(x + bias), and the bias the same summed to its shape.
inline void grad_biased_gelu(GradBuilder& builder, GeluForm form) {
  const OpCall& call = builder.call();
  const bool biased  = call.has(1);
  const int sum      = biased ? emit_op(builder, "Add", {builder.input(0), builder.input(1)}) : builder.input(0);
  const Attributes attributes{{"approximate", form == GeluForm::tanh ? "tanh" : "none"}};
  const int dx = builder.emit("GeluGrad", attributes, {sum, builder.output_gradient(0)})[0];
  if (builder.wanted(0)) builder.set_input_gradient(0, dx);
  if (!biased || !builder.wanted(1)) return;
  builder.set_input_gradient(1, reduce_to(builder, dx, tensor_operand(call, 0), tensor_operand(call, 1)));
}

template <double (*kGelu)(double), GeluForm kForm>
OpDef biased_gelu(std::string_view name, std::string_view doc) {
  return {
      .name      = name,
      .doc       = doc,
      .domain    = "com.microsoft",
      .adds_bias = true,
      .infer     = [](const OpCall& call) -> std::vector<Type> {
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
      .grad = [](GradBuilder& builder) { grad_biased_gelu(builder, kForm); },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4}), f32({4})}}, {{}, {f32({2, 3, 2}), f32({2})}}};
          },
  };
}

}  // namespace foreflow::ops
