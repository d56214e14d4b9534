// Finds the ops beside attention cores that move nothing once the cores are one op each.
#pragma once

#include <vector>

#include "transform/context/attention_core.h"

namespace foreflow::transform {

// Per op: whether kernels of attention read what it makes where its operand lies, or write where its result lies. They
// take heads at any stride (strides of FlashAttention, layouts such as sbhd of Transformer Engine). Such are
//
// 1. a Transpose of positions and heads beside a core, also behind a rotation of its heads;
// 2. the Transpose of what a core makes, unless `copies_result`;
// 3. a Split into queries, keys and values that are read as heads alone.
std::vector<bool> placed_beside(const KnownFunction& of, const AttentionCores& cores, bool copies_result);

}  // namespace foreflow::transform
