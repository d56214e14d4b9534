#include "ops/common/broadcast.h"
#include "ops/normalisation/rms.h"

namespace foreflow::ops::definitions::skip_simplified_layer_normalization {

namespace {

// Operands: input, skip, gamma, bias (optional).
constexpr size_t kGamma = 2, kBias = 3;

// Results: y, mean (never computed), 1 / rms, input + skip + bias.
std::vector<Type> infer(const OpCall& call) {
  if (call.arity() < 3)
    call.fail("has " + std::to_string(call.arity()) + " operands; input, skip and gamma would be right");
  const Type x = tensor_operand(call, 0);
  std::vector<Type> types{x};
  for (size_t i = 1; i < std::min<size_t>(call.outputs, 3); ++i) types.push_back(row_statistics(call, x));
  if (call.outputs > 3) types.push_back(x);
  return types;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x     = value_of(call, 0);
  const RmsRows rows = rms_rows(call, x);
  auto sum           = values_of<double>(x);
  for (const size_t operand : {size_t{1}, kBias}) {
    if (!call.has(operand)) continue;
    const auto term = spread(value_of(call, operand), x.dims());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += term[i];
  }
  const auto inverse = inverse_rms(sum, rows.length, call.attributes.float_or("epsilon", 1e-5));
  const auto y       = scaled(sum, inverse, spread(value_of(call, kGamma), x.dims()));
  const auto types   = infer(call);
  std::vector<Array> results{array_of(x.dtype(), x.dims(), y)};
  if (types.size() > 1) results.emplace_back(types[1].dtype, types[1].dims);
  if (types.size() > 2) results.push_back(array_of(types[2].dtype, types[2].dims, inverse));
  if (types.size() > 3) results.push_back(array_of(x.dtype(), x.dims(), sum));
  return results;
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims x           = tensor_operand(call, 0).dims;
  const std::string rows = letters_before(x.size(), x.size() - 1);
  std::string skip       = aligned_letters(tensor_operand(call, 1).dims, x);
  skip.back()            = '.';
  return {.text = factor_text(call, {rows, skip}, std::vector<std::string>(call.outputs, rows))};
}

// No gradient comes through 1 / rms.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  const Attributes attributes{{"axis", int64_t{-1}}, {"epsilon", call.attributes.float_or("epsilon", 1e-5)}};
  const auto gradients =
      builder.emit("SimplifiedLayerNormalizationGrad", attributes,
                   {emit_normalised_sum(builder, kBias), builder.input(kGamma), builder.output_gradient(0)}, 2);
  const int sum = call.outputs > 3 ? emit_op(builder, "Add", {gradients[0], builder.output_gradient(3)}) : gradients[0];
  for (const size_t term : {size_t{0}, size_t{1}, kBias}) {
    if (!call.has(term) || !builder.wanted(term)) continue;
    builder.set_input_gradient(term, reduce_to(builder, sum, x, tensor_operand(call, term)));
  }
  if (builder.wanted(kGamma)) builder.set_input_gradient(kGamma, gradients[1]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "SkipSimplifiedLayerNormalization",
      .doc           = "SimplifiedLayerNormalization(input + skip + bias) over the last axis -> y, 0, 1 / rms, the sum",
      .domain        = "com.microsoft",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kRmsFlops + 2) * count_of(outputs[0]));
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({2, 4, 6}), f32({2, 4, 6}), f32({6}), f32({6})}},
                {.attributes = {}, .inputs = {f32({2, 3}), f32({2, 3}), f32({3})}, .outputs = 4}};
          },
  };
}

}  // namespace foreflow::ops::definitions::skip_simplified_layer_normalization
