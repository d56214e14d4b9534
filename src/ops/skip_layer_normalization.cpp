#include "ops/broadcast.h"
#include "ops/kernel.h"
#include "ops/letters.h"
#include "ops/normalisation.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

// Operands: input, skip, gamma, beta (optional), bias (optional).
constexpr size_t kGamma = 2, kBeta = 3, kBias = 4;

std::vector<Type> infer_skip(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  for (size_t i = 1; i < call.arity(); ++i) {
    if (call.has(i)) common_dtype(call, std::vector{x, tensor_operand(call, i)});
  }
  std::vector<Type> types{x};
  // Mean and InvStdDev have one number a row; the fourth result is the sum that was normalised.
  for (size_t i = 1; i < std::min<size_t>(call.outputs, 3); ++i) {
    if (!has_rank(x)) {
      types.push_back(Type::unranked(DType::f32));
      continue;
    }
    Dims dims = x.dims;
    if (!dims.empty()) dims[dims.size() - 1] = 1;
    types.push_back(Type::tensor(DType::f32, dims));
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
  const Moments moments = moments_of(sum, row, call.attributes.float_or("epsilon", 1e-12));
  const auto types      = infer_skip(call);
  const auto y = normalised(sum, row, moments, spread(value_of(call, kGamma), x.dims()), spread_or_none(kBeta));
  std::vector<Array> outputs{array_of(x.dtype(), x.dims(), y)};
  if (types.size() > 1) outputs.push_back(array_of(types[1].dtype, types[1].dims, moments.mean));
  if (types.size() > 2) outputs.push_back(array_of(types[2].dtype, types[2].dims, moments.inverse_deviation));
  if (types.size() > 3) outputs.push_back(array_of(x.dtype(), x.dims(), sum));
  return outputs;
}

}  // namespace

OpDef skip_layer_normalization() {
  return {
      .name   = "SkipLayerNormalization",
      .doc    = "LayerNormalization(input + skip + bias) over the last axis -> y, Mean, InvStdDev, input + skip + bias",
      .domain = "com.microsoft",
      .infer  = infer_skip,
      .factors = skip_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kNormalisationFlops + 2) * count_of(outputs[0]));
          },
      .eval = eval_skip,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({2, 4, 6}), f32({2, 4, 6}), f32({6}), f32({6}), f32({6})}},
                {.attributes = {}, .inputs = {f32({2, 3}), f32({2, 3}), f32({3})}, .outputs = 4}};
          },
  };
}

}  // namespace foreflow::ops::definitions
