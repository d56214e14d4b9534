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

// Element i of head n stands in column first + n * stride + i.
struct Columns {
  int64_t first = 0, stride = 0;
};

// The heads in x[batch,rows,width].
HeadTensor heads_of(const std::vector<double>& x, const Dims& dims, Columns columns, int64_t heads, int64_t size);
// Of an array [b,n,s,h] that holds them already.
HeadTensor heads_of(const Array& x);
// The rows of `past` and then those of `fresh`.
HeadTensor joined(const HeadTensor& past, const HeadTensor& fresh);
// [batch,rows,heads * size].
std::vector<double> merged(const HeadTensor& heads);

// What is added to a score before the softmax.
using ScoreBias = std::function<double(int64_t b, int64_t head, int64_t query, int64_t key)>;

struct Scores {
  double scale                  = 1;
  bool causal                   = false;  // query i sees the keys up to i + offset
  int64_t offset                = 0;
  std::vector<ScoreBias> biases = {};
};
HeadTensor attend(const HeadTensor& q, const HeadTensor& k, const HeadTensor& v, const Scores& scores);

// `scale` of the op, 1 / sqrt(size) where it is absent or 0.
double attention_scale(const OpCall& call, int64_t size);

// Operand `index`: [b] lengths, [b,j] or [b,i,j], of which 0 forbids a key by adding `mask_filter_value` (-10000).
ScoreBias mask_bias(const OpCall& call, size_t index);
// Operand `index`, [b,n,i,j] with 1 for what repeats, is added.
ScoreBias added_bias(const OpCall& call, size_t index);

// Both products and the softmax; 0 while a dimension is not known.
double attention_flops(int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t size, int64_t value_size);

// Sums and products of dimensions, unknown where one is.
int64_t plus_dim(int64_t a, int64_t b);
int64_t times_dim(int64_t a, int64_t b);

}  // namespace foreflow::ops
