#include <cmath>

#include "foreflow/base/nth.h"
#include "ops/attention/attention_block.h"
#include "ops/common/gradient_operand.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::block_attention_grad {

namespace {

// Behind the operands of BlockAttention: its results, and the gradient of the first. They may be those of attention to
// all blocks, of which this is one.
constexpr size_t kOutput = 4, kSums = 5, kSlope = 6;

void check_results(const OpCall& call) {
  const Type q = tensor_operand(call, kQuery), o = tensor_operand(call, kOutput), sums = tensor_operand(call, kSums);
  const Dims of_output = with_last(q.dims, tensor_operand(call, kValue).dims.back()), of_sums = row_dims(call);
  const bool fits = (!has_dims(o) || o.dims == of_output) && (!has_dims(sums) || sums.dims == of_sums);
  if (!fits)
    call.fail("o and lse are " + to_string(o.dims) + " and " + to_string(sums.dims) + "; " + to_string(of_output) +
              " and " + to_string(of_sums) + " would be right");
  check_slope(call, kSlope, Type::tensor(q.dtype, of_output));
}

std::vector<Type> infer(const OpCall& call) {
  if (attention_block(call)) check_results(call);
  std::vector<Type> types;
  for (size_t i = 0; i < 3; ++i) types.push_back(tensor_operand(call, i));
  common_dtype(call, types);
  if (call.outputs > 3) types.push_back(tensor_operand(call, kBias));
  return types;
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const BlockLetters letters = block_letters(call);
  std::vector<std::string> outputs{letters.query, letters.key, letters.value};
  if (call.outputs > 3) outputs.push_back(letters.bias);
  return {.text = factor_text(
              call,
              {letters.query, letters.key, letters.value, letters.bias, letters.result, letters.rows, letters.result},
              outputs)};
}

// Adds `slopes` of the scores [.., s, t] up to the shape of the bias.
std::vector<double> of_bias(const OpCall& call, const std::vector<double>& slopes) {
  const Dims scores = score_dims(call), bias = value_of(call, kBias).dims();
  std::vector<double> sums(static_cast<size_t>(element_count(bias)));
  for (size_t i = 0; i < slopes.size(); ++i) {
    auto rest  = static_cast<int64_t>(i);
    int64_t at = 0, stride = 1;
    size_t aligned = bias.size();
    for (size_t dim = scores.size(); dim-- > 0 && aligned > 0; rest /= scores[dim]) {
      --aligned;
      if (bias[aligned] != 1) at += rest % scores[dim] * stride;
      stride *= bias[aligned];
    }
    nth(sums, at) += slopes[i];
  }
  return sums;
}

struct Slopes {
  std::vector<double> q, k, v, scores;
};

// With P = exp(scores - lse), of which D = kept * P is not dropped:  dv = D' do,  dscores = P (kept * (do v') - sum(do
// o)), dq = scale dscores k,  dk = scale dscores' q.
Slopes slopes_of(const OpCall& call, const AttentionBlock& block) {
  const auto q = values_of<double>(value_of(call, kQuery)), k = values_of<double>(value_of(call, kKey));
  const auto v = values_of<double>(value_of(call, kValue)), o = values_of<double>(value_of(call, kOutput));
  const auto sums = values_of<double>(value_of(call, kSums)), dy = values_of<double>(value_of(call, kSlope));
  Slopes to{std::vector<double>(q.size()), std::vector<double>(k.size()), std::vector<double>(v.size()),
            block_scores(call, block)};
  const auto kept  = block_dropout(call, block);
  const auto width = static_cast<size_t>(block.value_size), size = static_cast<size_t>(block.size);
  for (size_t row = 0, at = 0; row < sums.size(); ++row) {
    const auto head = static_cast<int64_t>(row) / (block.group * block.rows);
    double mean     = 0;
    for (size_t c = 0; c < width; ++c) mean += dy[row * width + c] * o[row * width + c];
    for (int64_t key = 0; key < block.keys; ++key, ++at) {
      const double share = std::exp(to.scores[at] - sums[row]), drawn = kept.empty() ? 1 : kept[at];
      const size_t value = block.key(head, key, block.value_size), other = block.key(head, key, block.size);
      double slope = 0;
      for (size_t c = 0; c < width; ++c) {
        slope += dy[row * width + c] * v[value + c];
        to.v[value + c] += drawn * share * dy[row * width + c];
      }
      to.scores[at] = share == 0 ? 0 : share * (drawn * slope - mean);
      for (size_t c = 0; c < size; ++c) {
        to.q[row * size + c] += block.scale * to.scores[at] * k[other + c];
        to.k[other + c] += block.scale * to.scores[at] * q[row * size + c];
      }
    }
  }
  return to;
}

std::vector<Array> eval(const OpCall& call) {
  const std::vector<Type> types = infer(call);
  const Slopes slopes           = slopes_of(call, *attention_block(call));
  std::vector<Array> results{array_of(types[0].dtype, types[0].dims, slopes.q),
                             array_of(types[1].dtype, types[1].dims, slopes.k),
                             array_of(types[2].dtype, types[2].dims, slopes.v)};
  if (call.outputs > 3) results.push_back(array_of(types[3].dtype, types[3].dims, of_bias(call, slopes.scores)));
  return results;
}

}  // namespace

OpDef row() {
  return {
      .name = "BlockAttentionGrad",
      .doc =
          "q, k, v, bias, o, lse, do -> dq, dk, dv and, as fourth result, dbias: the gradient of BlockAttention, or "
          "the part of this block where o and lse are of several, merged",
      .domain        = "foreflow",
      .kernels       = ir::Kernels::attention,
      .gradient_of   = ir::GradientOf::attention,
      .whole_because = "each query attends to all keys",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const auto block = attention_block(call);
            if (!block) return computes(call, outputs, 0);
            // Five products, the scores once more among them.
            return attends(call, outputs, *block, 2 * static_cast<double>(3 * block->size + 2 * block->value_size));
          },
      .eval = eval,
      .samples =
          [] {
            std::vector<Sample> samples = block_samples();
            for (Sample& sample : samples) {
              const Dims q = sample.inputs[kQuery].dims, o = with_last(q, sample.inputs[kValue].dims.back());
              const Dims sums(std::vector<int64_t>(q.begin(), q.end() - 1));
              sample.outputs = sample.inputs.size();
              sample.inputs.resize(kOutput);
              sample.inputs.insert(sample.inputs.end(), {f32(o), f32(sums), f32(o)});
            }
            return samples;
          },
  };
}

}  // namespace foreflow::ops::definitions::block_attention_grad
