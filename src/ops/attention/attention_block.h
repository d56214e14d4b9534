// Attention of queries to one block of keys, without its scores in memory (Dao et al., 2022, FlashAttention): what
// BlockAttention and its gradient share.
//   q[b,n,s,d], k[b,n,t,d], v[b,n,t,e], bias, which broadcasts to the scores [b,n,s,t]; where g heads of queries share
//   one of keys, q is [b,n,g,s,d] and the scores are [b,n,g,s,t]
//   P = softmax(scale * q k' + bias),  o = P v,  lse = log(sum(exp(scores))), one number a row
//
// causal=1: a query sees the keys that do not stand behind it. Rows and keys of a block are runs of `run` positions (0:
// all of them are one) out of a longer sequence, and the runs of the queries stand before (order=-1), at (0) or behind
// (1) those of the keys:
//
//   run=2, order=0     x . . .      run=2, order=1     x x . .      run=2, order=-1    . . . .
//                      x x . .                         x x . .                         . . . .
//                      x x x .                         x x x x                         x x . .
//                      x x x x                         x x x x                         x x . .
#pragma once

#include "ops/common/kernel.h"
#include "ops/common/op.h"

namespace foreflow::ops {

// Operands of both: queries, keys, values, bias.
inline constexpr size_t kQuery = 0, kKey = 1, kValue = 2, kBias = 3;

// Of operands whose dimensions are known; a product of leading dimensions counts as one.
struct AttentionBlock {
  int64_t heads = 0, group = 1, rows = 0, keys = 0, size = 0, value_size = 0;
  bool causal = false;
  int64_t run = 0, order = 0;
  double scale = 1;

  bool sees(int64_t row, int64_t key) const;
  double visible() const;  // pairs of a row and a key that it sees, of one head
  size_t query(int64_t head, int64_t g, int64_t row, int64_t width) const {
    return static_cast<size_t>(((head * group + g) * rows + row) * width);
  }
  size_t key(int64_t head, int64_t at, int64_t width) const { return static_cast<size_t>((head * keys + at) * width); }
};

// Nothing where a dimension is not known. Fails where the operands do not fit together.
std::optional<AttentionBlock> attention_block(const OpCall& call);

// The same dimensions but for the last.
Dims with_last(Dims dims, int64_t size);

// [b,n,s,t] or [b,n,g,s,t], and the same without t.
Dims score_dims(const OpCall& call);
Dims row_dims(const OpCall& call);
// What statistics are computed in: Float32, or wider where q is.
DType statistics_type(const OpCall& call);

// The scores, minus infinity where a row does not see a key.
std::vector<double> block_scores(const OpCall& call, const AttentionBlock& block);

// "bnsd,bnte.." with `rows` for what is [b,n,s,..] and so on: rows and keys may be split unless they are causal.
struct BlockLetters {
  std::string query, key, value, bias, rows, result;
};
BlockLetters block_letters(const OpCall& call);

// q, k, v and bias of some shapes, with and without groups.
std::vector<Sample> block_samples();

}  // namespace foreflow::ops
