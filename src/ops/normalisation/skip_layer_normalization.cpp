#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::skip_layer_normalization {

namespace {

// Operands: input, skip, gamma, beta (optional), bias (optional).
constexpr size_t kGamma = 2, kBeta = 3, kBias = 4;

double epsilon_of(const OpCall& call) { return call.attributes.float_or("epsilon", 1e-12); }

std::vector<Type> infer_skip(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  for (size_t i = 1; i < call.arity(); ++i) {
    if (!call.has(i)) continue;
    const Type operand = tensor_operand(call, i);
    common_dtype(call, std::vector{x, operand});
    if (!has_rank(x) || !has_rank(operand) || operand.dims.size() <= x.dims.size()) continue;
    call.fail("operand " + std::to_string(i) + " is " + to_string(operand.dims) +
              "; it should have no more dimensions than " + to_string(x.dims));
  }
  std::vector<Type> types{x};
  // Mean and InvStdDev have one number a row, in Float32 unless x is wider; the fourth result is what was normalised.
  const DType statistics = x.is_tensor() && x.dtype == DType::f64 ? DType::f64 : DType::f32;
  for (size_t i = 1; i < std::min<size_t>(call.outputs, 3); ++i) {
    if (!has_rank(x)) {
      types.push_back(Type::unranked(statistics));
      continue;
    }
    Dims dims = x.dims;
    if (!dims.empty()) dims[dims.size() - 1] = 1;
    types.push_back(Type::tensor(statistics, dims));
  }
  if (call.outputs > 3) types.push_back(x);
  return types;
}

Factors skip_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const size_t rank = tensor_operand(call, 0).dims.size();
  if (rank == 0) return {};
  const std::string rows = letters_before(rank, rank - 1);
  const Type skip        = tensor_operand(call, 1);
  std::string aligned    = aligned_letters(skip.dims, tensor_operand(call, 0).dims);
  if (aligned.empty()) return {};
  aligned.back() = '.';
  return {.text = factor_text(call, {rows, aligned}, std::vector<std::string>(call.outputs, rows))};
}

std::vector<Array> eval_skip(const OpCall& call) {
  const Array& x            = value_of(call, 0);
  const auto row            = static_cast<size_t>(x.dims().back());
  const auto skip           = spread(value_of(call, 1), x.dims());
  const auto spread_or_none = [&](size_t i) {
    return call.has(i) ? spread(value_of(call, i), x.dims()) : std::vector<double>{};
  };
  const auto bias = spread_or_none(kBias);
  auto sum        = values_of<double>(x);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += skip[i] + (bias.empty() ? 0 : bias[i]);
  const Moments moments = moments_of(sum, row, epsilon_of(call));
  const auto types      = infer_skip(call);
  const auto y = normalised(sum, row, moments, spread(value_of(call, kGamma), x.dims()), spread_or_none(kBeta));
  std::vector<Array> outputs{array_of(x.dtype(), x.dims(), y)};
  if (types.size() > 1) outputs.push_back(array_of(types[1].dtype, types[1].dims, moments.mean));
  if (types.size() > 2) outputs.push_back(array_of(types[2].dtype, types[2].dims, moments.inverse_deviation));
  if (types.size() > 3) outputs.push_back(array_of(x.dtype(), x.dims(), sum));
  return outputs;
}

// No gradient comes through Mean and InvStdDev.
void grad_skip(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  const Attributes attributes{{"axis", int64_t{-1}}, {"epsilon", epsilon_of(call)}};
  const auto gradients =
      builder.emit("LayerNormalizationGrad", attributes,
                   {emit_normalised_sum(builder, kBias), builder.input(kGamma), builder.output_gradient(0)}, 3);
  const int sum = call.outputs > 3 ? emit_op(builder, "Add", {gradients[0], builder.output_gradient(3)}) : gradients[0];
  for (const size_t term : {size_t{0}, size_t{1}, kBias}) {
    if (!call.has(term) || !builder.wanted(term)) continue;
    builder.set_input_gradient(term, reduce_to(builder, sum, x, tensor_operand(call, term)));
  }
  if (builder.wanted(kGamma)) builder.set_input_gradient(kGamma, gradients[1]);
  if (call.has(kBeta) && builder.wanted(kBeta)) builder.set_input_gradient(kBeta, gradients[2]);
}

}  // namespace

OpDef row() {
  return {
      .name   = "SkipLayerNormalization",
      .doc    = "LayerNormalization(input + skip + bias) over the last axis -> y, Mean, InvStdDev, input + skip + bias",
      .domain = "com.microsoft",
      .normalises    = true,
      .takes_weights = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer_skip,
      .factors       = skip_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kNormalisationFlops + 2) * count_of(outputs[0]));
          },
      .eval = eval_skip,
      .grad = grad_skip,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({2, 4, 6}), f32({2, 4, 6}), f32({6}), f32({6}), f32({6})}},
                {.attributes = {}, .inputs = {f32({2, 3}), f32({2, 3}), f32({3})}, .outputs = 4}};
          },
  };
}

}  // namespace foreflow::ops::definitions::skip_layer_normalization
