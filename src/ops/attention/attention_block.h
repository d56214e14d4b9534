// Attention of queries to one block of keys, without its scores in memory (Dao et al., 2022, FlashAttention): what
// BlockAttention and its gradient share.
//   q[b,n,s,d], k[b,n,t,d], v[b,n,t,e], bias, which broadcasts to the scores [b,n,s,t]; where g heads of queries share
//   one of keys, q is [b,n,g,s,d] and the scores are [b,n,g,s,t]
//   P = softmax(scale * q k' + bias),  o = P v,  lse = log(sum(exp(scores))), one number a row
//
// With causal=1 a query sees only the keys that do not come after it. The rows and keys of a block are runs of `run`
// consecutive positions (0: one run) of a longer sequence. Run i of the queries comes before (order=-1), equals (0) or
// comes after (1) run i of the keys:
//
//   run=2, order=0     x . . .      run=2, order=1     x x . .      run=2, order=-1    . . . .
//                      x x . .                         x x . .                         . . . .
//                      x x x .                         x x x x                         x x . .
//                      x x x x                         x x x x                         x x . .
//
// With `first` the keys are all positions from 0 on, and the rows some of them: run i stands at first + i * stride.
//
//   first=1, run=2, stride=4     x x . . . .
//                                x x x . . .
//                                x x x x x x     (row 2 is position 5)
//
// With `dropout` that share of P is 0 and the rest grows by 1 / (1 - dropout), as Dropout with the same `seed` drops
// from probabilities [b,n,s,t]. The sums `lse` are those of all scores. As there, a part of a call drops by numbers of
// its own.
#pragma once

#include <optional>

#include "ops/common/kernel.h"
#include "ops/common/op.h"

namespace foreflow::ops {

// Operands of both: queries, keys, values, bias.
inline constexpr size_t kQuery = 0, kKey = 1, kValue = 2, kBias = 3;

// The dimensions of a call, all of which are known. `heads` is the product of all leading dimensions.
struct AttentionBlock {
  int64_t heads = 0, group = 1, rows = 0, keys = 0, size = 0, value_size = 0;
  bool causal = false;
  int64_t run = 0, order = 0;
  std::optional<int64_t> first;  // position of the first row among all keys
  int64_t stride = 0;            // from run to run, where there is `first`
  double scale   = 1;
  double dropout = 0;  // at least 0, less than 1

  bool sees(int64_t row, int64_t key) const;
  double visible() const;  // per head: the number of pairs of a row and a key that it sees
  // Per head: the pairs that the mask hides.
  double hidden() const { return static_cast<double>(rows) * static_cast<double>(keys) - visible(); }
  int64_t position(int64_t row) const;  // of a row, where there is `first`
  size_t query(int64_t head, int64_t g, int64_t row, int64_t width) const {
    return static_cast<size_t>(((head * group + g) * rows + row) * width);
  }
  size_t key(int64_t head, int64_t at, int64_t width) const { return static_cast<size_t>((head * keys + at) * width); }
};

// Nothing if a dimension is not known. Fails if the shapes of the operands do not match.
std::optional<AttentionBlock> attention_block(const OpCall& call);

// `dims` with the last dimension replaced by `size`.
Dims with_last(Dims dims, int64_t size);

// The dimensions of the scores, [b,n,s,t] or [b,n,g,s,t], and of one number per row, without t.
Dims score_dims(const OpCall& call);
Dims row_dims(const OpCall& call);
// The type in which statistics are computed: Float32, or that of q if it is wider.
DType statistics_type(const OpCall& call);

// The scores, minus infinity where a row does not see a key.
std::vector<double> block_scores(const OpCall& call, const AttentionBlock& block);

// Returns the factor of each of the probabilities, in the order of the scores: 0 or 1 / (1 - dropout). Empty if all
// factors are 1.
std::vector<double> block_dropout(const OpCall& call, const AttentionBlock& block);

// The letters of each operand and result, as in "bnsd"; `rows` are those of [b,n,s]. Rows and keys may be split unless
// the attention is causal.
struct BlockLetters {
  std::string query, key, value, bias, rows, result;
};
BlockLetters block_letters(const OpCall& call);

// The work of attention that takes `flops` for the products of each pair of a row and a key that it sees.
Work attends(const OpCall& call, std::span<const Type> outputs, const AttentionBlock& block, double flops);

// q, k, v and bias of some shapes, with and without groups.
std::vector<Sample> block_samples();

}  // namespace foreflow::ops
