// Scaled dot-product attention (Vaswani et al., 2017) over heads, as the fused ops of com.microsoft compute it:
// y[b,n,i] = sum over j of softmax(scale * q[b,n,i] . k[b,m,j] + bias)[j] * v[b,m,j]; query heads share the key heads m
// evenly.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Numbers [batch,heads,rows,size], row-major.
struct HeadTensor {
  int64_t batch = 0, heads = 0, rows = 0, size = 0;
  std::vector<double> values;

  size_t offset(int64_t b, int64_t head, int64_t row) const {
    return static_cast<size_t>(((b * heads + head) * rows + row) * size);
  }
};

// Element i of head n is in column first + n * stride + i.
struct Columns {
  int64_t first = 0, stride = 0;
};

// The heads contained in x[batch,rows,width], or in an array [b,n,s,h].
HeadTensor heads_of(const std::vector<double>& x, const Dims& dims, Columns columns, int64_t heads, int64_t size);
HeadTensor heads_of(const Array& x);
// The rows of `past` followed by those of `fresh`.
HeadTensor joined(const HeadTensor& past, const HeadTensor& fresh);
// The inverse of heads_of: x[batch,rows,heads * size].
std::vector<double> merged(const HeadTensor& heads);

// The terms that are added to a score before the softmax.
using ScoreBias = std::function<double(int64_t b, int64_t head, int64_t query, int64_t key)>;

struct Scores {
  double scale                  = 1;
  bool causal                   = false;  // query i sees the keys up to i + offset
  int64_t offset                = 0;
  bool last_sees_all            = false;  // the last query sees all keys, even if it is causal
  double softcap                = 0;      // not 0: softcap * tanh(score / softcap) before biases are added
  std::vector<ScoreBias> biases = {};
  // The score of one more key whose value is 0, for each head; empty: none.
  std::vector<double> sinks = {};
};
HeadTensor attend(const HeadTensor& q, const HeadTensor& k, const HeadTensor& v, const Scores& scores);

// The attribute `scale`; 1 / sqrt(size) if it is absent or 0.
double attention_scale(const OpCall& call, int64_t size);

// The numbers of samples, heads, queries and keys of scores [b,n,i,j].
struct ScoreSizes {
  int64_t batch = 0, heads = 0, queries = 0, keys = 0;
};

// The mask in operand `index`: lengths [b], or flags [b,j] or [b,i,j]. A key that is masked out (flag 0) gets
// `mask_filter_value` (default -10000) added to its score. Fails for a mask of another form.
ScoreBias mask_bias(const OpCall& call, size_t index, const ScoreSizes& sizes);
// The bias in operand `index`, [b,n,i,j]; all dimensions but the last may be 1 and are then broadcast. Fails for
// another shape.
ScoreBias added_bias(const OpCall& call, size_t index, const ScoreSizes& sizes);
// Fails for a mask without dimensions or of more than four, which has no meaning.
void check_mask_rank(const OpCall& call, size_t index);

// The flop of both products and the softmax; 0 if a dimension is not known.
double attention_flops(int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t size, int64_t value_size);

// How many of the columns of all heads one head has; unknown if their number is. Fails if the heads do not divide it.
int64_t per_head(const OpCall& call, int64_t columns, int64_t heads);

// Sum and product of two dimensions; unknown if one of them is.
int64_t plus_dim(int64_t a, int64_t b);
int64_t times_dim(int64_t a, int64_t b);

}  // namespace foreflow::ops
