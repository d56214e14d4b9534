// Attention of com.microsoft as the ops that it consists of, which have gradients (OpDef::unfused). Only what training
// has: no cache, one result, and masks of one flag for each key.
#pragma once

#include "ops/common/fused_call.h"

namespace foreflow::ops {

struct FusedHeads {
  int q, k, v;   // [b,n,s,h]
  int64_t size;  // h of q
};

// Columns x[b,s,n*h] as heads [b,n,s,h].
int heads_of_columns(const FusedCall& fused, int x, int64_t heads);

// The result [b,s,n*h] of attention. `mask`: flags [b,t] of keys that are seen, or kLeftOut. `added`: the operand that
// is added to scores.
int unfused_attention(const FusedCall& fused, const FusedHeads& heads, int mask, size_t added);

// Columns of q, k and v with theirs of the bias, operand `bias`; `widths`: their numbers of columns.
std::vector<int> with_biases(const FusedCall& fused, std::vector<int> columns, size_t bias,
                             const std::vector<int64_t>& widths);

// Returns true if the call has the form that training needs: at most flags as operand `mask`, and no operand from
// number `past` on.
bool is_of_training(const FusedCall& fused, size_t mask, size_t past);

}  // namespace foreflow::ops
