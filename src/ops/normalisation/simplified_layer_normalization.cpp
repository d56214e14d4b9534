#include "ops/normalisation/rms.h"

namespace foreflow::ops::definitions::simplified_layer_normalization {

namespace {

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 2) call.fail("has " + std::to_string(call.arity()) + " operands; x and scale would be right");
  const Type x = tensor_operand(call, 0);
  std::vector<Type> types{x};
  if (call.outputs > 1) types.push_back(row_statistics(call, x));
  return types;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x     = value_of(call, 0);
  const RmsRows rows = rms_rows(call, x);
  const auto values  = values_of<double>(x);
  const auto inverse = inverse_rms(values, rows.length, call.attributes.float_or("epsilon", 1e-5));
  std::vector<Array> results{
      array_of(x.dtype(), x.dims(), scaled(values, inverse, spread(value_of(call, 1), x.dims())))};
  if (call.outputs > 1) results.push_back(array_of(rows.statistics.dtype, rows.statistics.dims, inverse));
  return results;
}

// No gradient comes through the statistics.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Attributes attributes{{"axis", call.attributes.int_or("axis", -1)},
                              {"epsilon", call.attributes.float_or("epsilon", 1e-5)}};
  const auto gradients = builder.emit("SimplifiedLayerNormalizationGrad", attributes,
                                      {builder.input(0), builder.input(1), builder.output_gradient(0)}, 2);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
}

}  // namespace

OpDef row() {
  return {
      .name          = "SimplifiedLayerNormalization",
      .doc           = "x / sqrt(mean(x^2) + epsilon) * scale over the axes from `axis` on -> y, 1 / sqrt(..): RMSNorm",
      .normalises    = true,
      .chain         = Chain::rms_norm,
      .whole_because = "it normalises along that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const size_t rank      = tensor_operand(call, 0).dims.size();
        const std::string kept = letters_before(rank, axis_attribute(call, rank, -1));
        return {.text = factor_text(call, {kept}, std::vector<std::string>(call.outputs, kept))};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, kRmsFlops * count_of(outputs[0])); },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {}, .inputs = {f32({2, 4, 6}), f32({6})}, .outputs = 2},
                                       {.attributes = {{"axis", 1}, {"epsilon", 1e-3}},
                                        .inputs     = {f32({4, 2, 3}), f32({2, 3})},
                                        .outputs    = 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::simplified_layer_normalization
