#include "ops/attention/attention_block.h"

#include <limits>

#include "ops/common/broadcast.h"
#include "ops/common/generator.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"

namespace foreflow::ops {
namespace {

void check(const OpCall& call, const Dims& q, const Dims& k, const Dims& v) {
  const bool shapes = (q.size() == 4 || q.size() == 5) && k.size() == 4 && v.size() == 4;
  if (shapes && q[0] == k[0] && q[0] == v[0] && q[1] == k[1] && q[1] == v[1] && q.back() == k[3] && k[2] == v[2])
    return;
  call.fail("q, k and v are " + to_string(q) + ", " + to_string(k) + " and " + to_string(v) +
            "; [b,n,s,d] or [b,n,g,s,d], [b,n,t,d] and [b,n,t,e] would be right");
}

// The bias is absent, of unknown shape, or stretches to the scores.
void check_bias(const OpCall& call) {
  if (!call.has(kBias) || !has_dims(tensor_operand(call, kBias))) return;
  const Dims bias = tensor_operand(call, kBias).dims, scores = score_dims(call);
  bool fits = bias.size() <= scores.size();
  for (size_t i = 0; fits && i < bias.size(); ++i)
    fits = bias[i] == 1 || bias[i] == scores[scores.size() - bias.size() + i];
  if (!fits) call.fail("bias is " + to_string(bias) + "; it should broadcast to " + to_string(scores));
}

// Reads `first`, and `run` and `stride` with it.
void place_rows(const OpCall& call, AttentionBlock& block) {
  block.first = call.attributes.get_int("first");
  if (block.run == 0) block.run = block.rows;
  block.stride = call.attributes.int_or("stride", block.run);
  if (block.run < 0 || block.rows % block.run != 0)
    call.fail("runs of " + std::to_string(block.run) + " do not divide " + std::to_string(block.rows) + " positions");
  if (*block.first < 0 || block.stride < block.run || block.position(block.rows - 1) >= block.keys)
    call.fail("rows from position " + std::to_string(*block.first) + " on, in runs of " + std::to_string(block.run) +
              " every " + std::to_string(block.stride) + ", are not all among the " + std::to_string(block.keys) +
              " positions of the keys");
}

}  // namespace

int64_t AttentionBlock::position(int64_t row) const { return *first + row / run * stride + row % run; }

bool AttentionBlock::sees(int64_t row, int64_t key) const {
  if (!causal) return true;
  if (first) return key <= position(row);
  const int64_t length = run == 0 ? std::max(rows, keys) : run;
  if (row / length != key / length) return row / length > key / length;
  return order > 0 || (order == 0 && row % length >= key % length);
}

double AttentionBlock::visible() const {
  const auto all = static_cast<double>(rows) * static_cast<double>(keys);
  if (!causal) return all;
  if (first) return static_cast<double>(rows) * static_cast<double>(position(0) + position(rows - 1) + 2) / 2;
  const auto length = static_cast<double>(run == 0 ? rows : run);
  const double runs = length == 0 ? 0 : static_cast<double>(rows) / length;
  const double same = order > 0 ? length * length : order == 0 ? length * (length + 1) / 2 : 0;
  return length * length * runs * (runs - 1) / 2 + runs * same;
}

std::optional<AttentionBlock> attention_block(const OpCall& call) {
  const Type q = tensor_operand(call, kQuery), k = tensor_operand(call, kKey), v = tensor_operand(call, kValue);
  if (!has_dims(q) || !has_dims(k) || !has_dims(v)) return std::nullopt;
  check(call, q.dims, k.dims, v.dims);
  check_bias(call);
  AttentionBlock block;
  block.heads      = q.dims[0] * q.dims[1];
  block.group      = q.dims.size() == 5 ? q.dims[2] : 1;
  block.rows       = q.dims[q.dims.size() - 2];
  block.keys       = k.dims[2];
  block.size       = k.dims[3];
  block.value_size = v.dims[3];
  block.causal     = call.attributes.int_or("causal", 0) != 0;
  block.run        = call.attributes.int_or("run", 0);
  block.order      = call.attributes.int_or("order", 0);
  block.scale      = call.attributes.float_or("scale", 1);
  block.dropout    = call.attributes.float_or("dropout", 0);
  if (!(block.dropout >= 0 && block.dropout < 1))
    call.fail("dropout is " + std::to_string(block.dropout) + "; 0, or less than 1, would be right");
  if (call.attributes.find("first") != nullptr) {
    place_rows(call, block);
    return block;
  }
  if (block.causal && block.rows != block.keys)
    call.fail("there are " + std::to_string(block.rows) + " queries and " + std::to_string(block.keys) +
              " keys; with causal=1 as many of both would be right");
  if (block.causal && (block.run < 0 || (block.run > 0 && block.rows % block.run != 0)))
    call.fail("runs of " + std::to_string(block.run) + " do not divide " + std::to_string(block.rows) + " positions");
  return block;
}

Dims with_last(Dims dims, int64_t size) {
  dims[dims.size() - 1] = size;
  return dims;
}

Dims row_dims(const OpCall& call) {
  const Dims q = tensor_operand(call, kQuery).dims;
  return Dims(std::vector<int64_t>(q.begin(), q.end() - 1));
}

Dims score_dims(const OpCall& call) {
  return with_last(tensor_operand(call, kQuery).dims, tensor_operand(call, kKey).dims[2]);
}

DType statistics_type(const OpCall& call) {
  return tensor_operand(call, kQuery).dtype == DType::f64 ? DType::f64 : DType::f32;
}

std::vector<double> block_scores(const OpCall& call, const AttentionBlock& block) {
  const auto q = values_of<double>(value_of(call, kQuery)), k = values_of<double>(value_of(call, kKey));
  std::vector<double> scores;
  scores.reserve(static_cast<size_t>(block.heads * block.group * block.rows * block.keys));
  for (int64_t head = 0; head < block.heads; ++head) {
    for (int64_t g = 0; g < block.group; ++g) {
      for (int64_t row = 0; row < block.rows; ++row) {
        for (int64_t key = 0; key < block.keys; ++key) {
          const double* at = q.data() + block.query(head, g, row, block.size);
          const double* to = k.data() + block.key(head, key, block.size);
          double sum       = 0;
          for (int64_t c = 0; c < block.size; ++c) sum += at[c] * to[c];
          scores.push_back(block.sees(row, key) ? block.scale * sum : -std::numeric_limits<double>::infinity());
        }
      }
    }
  }
  if (!call.has(kBias)) return scores;
  const auto bias = spread(value_of(call, kBias), score_dims(call));
  for (size_t i = 0; i < scores.size(); ++i) scores[i] += bias[i];
  return scores;
}

std::vector<double> block_dropout(const OpCall& call, const AttentionBlock& block) {
  if (block.dropout == 0) return {};
  Generator generator = generator_of(call);
  const double kept   = 1 / (1 - block.dropout);
  return draws(score_dims(call), [&] { return generator.uniform() >= block.dropout ? kept : 0; });
}

BlockLetters block_letters(const OpCall& call) {
  const bool grouped = tensor_operand(call, kQuery).dims.size() == 5, causal = call.attributes.int_or("causal", 0) != 0;
  const std::string s = causal ? "." : "s", t = causal ? "." : "t", lead = grouped ? "bng" : "bn";
  BlockLetters letters{lead + s + ".", "bn" + t + ".", "bn" + t + ".", "", lead + s, lead + s + "."};
  if (!call.has(kBias)) return letters;
  const Dims scores = score_dims(call), bias = tensor_operand(call, kBias).dims;
  const std::string all = lead + s + t;
  letters.bias          = all.substr(all.size() - bias.size());
  for (size_t i = 0; i < bias.size(); ++i) {
    if (bias[i] != scores[i + all.size() - bias.size()]) letters.bias[i] = '.';
  }
  return letters;
}

Work attends(const OpCall& call, std::span<const Type> outputs, const AttentionBlock& block, double flops) {
  constexpr double kSoftmax = 5;  // of a pair: scale, largest, difference, exponential, sum
  constexpr double kDropout = 2;  // compare a number, select
  const double heads        = static_cast<double>(block.heads * block.group);
  const double each         = flops + kSoftmax + (block.dropout > 0 ? kDropout : 0);
  Work work                 = computes(call, outputs, heads * block.visible() * each);
  work.masked               = Flops(heads * block.hidden() * each);
  return work;
}

std::vector<Sample> block_samples() {
  const Attributes plain{{"scale", 0.5}}, causal{{"scale", 0.5}, {"causal", 1}},
      runs{{"causal", 1}, {"run", 2}, {"order", 1}}, among{{"causal", 1}, {"run", 2}, {"first", 1}, {"stride", 3}};
  return {{plain, {f32({2, 4, 6, 2}), f32({2, 4, 4, 2}), f32({2, 4, 4, 6})}},
          {plain, {f32({2, 2, 2, 4, 2}), f32({2, 2, 6, 2}), f32({2, 2, 6, 2}), f32({4, 6})}},
          {plain, {f32({1, 4, 4, 2}), f32({1, 4, 2, 2}), f32({1, 4, 2, 2}), f32({1, 4, 4, 2})}},
          {causal, {f32({2, 2, 4, 2}), f32({2, 2, 4, 2}), f32({2, 2, 4, 2})}},
          {among, {f32({2, 2, 4, 2}), f32({2, 2, 6, 2}), f32({2, 2, 6, 2})}},
          {runs, {f32({2, 2, 2, 4, 2}), f32({2, 2, 4, 2}), f32({2, 2, 4, 2})}}};
}

}  // namespace foreflow::ops
