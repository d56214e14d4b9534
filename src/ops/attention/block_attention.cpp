#include <cmath>

#include "foreflow/base/nth.h"
#include "ops/attention/attention_block.h"
#include "ops/common/letters.h"
#include "ops/common/softmax_family.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::block_attention {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type q = tensor_operand(call, kQuery), v = tensor_operand(call, kValue);
  const bool stored = ir::is_float(q.dtype) && ir::is_float(v.dtype);  // converted where they are read
  common_dtype(call,
               stored ? std::vector{tensor_operand(call, kKey), v} : std::vector{q, tensor_operand(call, kKey), v});
  const DType statistics = statistics_type(call);
  attention_block(call);
  if (!has_rank(q) || !has_rank(v)) return {without_dims(q), Type::unranked(statistics)};
  return {with_dims(q, with_last(q.dims, v.dims.back())), Type::tensor(statistics, row_dims(call))};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  BlockLetters letters = block_letters(call);
  for (std::string* keys : {&letters.key, &letters.value}) (*keys)[2] = '.';  // the softmax sees them all
  if (!letters.bias.empty()) letters.bias.back() = '.';
  std::vector<std::string> inputs{letters.query, letters.key, letters.value, letters.bias};
  inputs.resize(call.arity());
  return {.text = factor_text(call, inputs, {letters.result, letters.rows})};
}

std::vector<Array> eval(const OpCall& call) {
  const AttentionBlock block = *attention_block(call);
  const auto scores = block_scores(call, block), v = values_of<double>(value_of(call, kValue));
  const auto kept               = block_dropout(call, block);
  const std::vector<Type> types = infer(call);
  const auto keys               = static_cast<size_t>(block.keys);
  std::vector<double> o(static_cast<size_t>(element_count(types[0].dims))), lse;
  for (int64_t row = 0; row < block.heads * block.group * block.rows; ++row) {
    const auto first = scores.begin() + row * block.keys;
    const std::vector<double> lane(first, first + block.keys);
    lse.push_back(log_sum_exp(lane));
    if (std::isinf(lse.back())) continue;  // a row that sees nothing adds nothing
    const int64_t head = row / (block.group * block.rows);
    for (size_t key = 0; key < keys; ++key) {
      const double drawn = kept.empty() ? 1 : kept[static_cast<size_t>(row) * keys + key];
      const double share = drawn * std::exp(lane[key] - lse.back());
      const double* from = v.data() + block.key(head, static_cast<int64_t>(key), block.value_size);
      for (int64_t c = 0; c < block.value_size; ++c) nth(o, row * block.value_size + c) += share * from[c];
    }
  }
  return {array_of(types[0].dtype, types[0].dims, o), array_of(types[1].dtype, types[1].dims, lse)};
}

// No gradient comes through the sums of exponentials.
void grad(GradBuilder& builder) {
  const OpCall& call   = builder.call();
  const bool bias      = call.has(kBias) && builder.wanted(kBias);
  const int added      = call.has(kBias) ? builder.input(kBias) : -1;
  const auto gradients = builder.emit("BlockAttentionGrad", call.attributes,
                                      {builder.input(kQuery), builder.input(kKey), builder.input(kValue), added,
                                       builder.output(0), builder.output(1), builder.output_gradient(0)},
                                      bias ? 4 : 3);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
}

}  // namespace

OpDef row() {
  return {
      .name = "BlockAttention",
      .doc =
          "q[b,n,s,d] (or [b,n,g,s,d]), k[b,n,t,d], v[b,n,t,e], bias -> softmax(scale * q k' + bias) v [b,n,s,e] and, "
          "for MergeAttention, the logarithms of the sums of exponentials [b,n,s]; causal=1 with run and order: of "
          "positions in runs, or with first, run and stride: of rows "
          "among all keys; k and v may be floats of another type; dropout: share of the probabilities that is dropped, "
          "by `seed`",
      .domain        = "foreflow",
      .kernels       = ir::Kernels::attention,
      .attention     = true,
      .whole_because = "each query attends to all keys",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const auto block = attention_block(call);
            if (!block) return computes(call, outputs, 0);
            return attends(call, outputs, *block, 2 * static_cast<double>(block->size + block->value_size));
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            std::vector<Sample> samples = block_samples();
            for (Sample& sample : samples) sample.outputs = 2;
            return samples;
          },
  };
}

}  // namespace foreflow::ops::definitions::block_attention
