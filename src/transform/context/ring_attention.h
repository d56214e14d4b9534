// Attention whose keys and values go round a ring of the ways that share a sequence (Liu et al., 2023, Ring Attention
// with Blockwise Transformers; the backward pass as in Megatron-LM). Way w has a block of queries and one of keys:
//
//   step 0          way 1: q1 with k1, v1      way 2: q2 with k2, v2      way 3: q3 with k3, v3
//           shift   k3, v3 -> 1                k1, v1 -> 2                k2, v2 -> 3
//   step 1          way 1: q1 with k3, v3      ...                        each result is merged with those before it
//
// In the backward pass the partial sums of dk and dv travel with their block. One more shift brings them, complete,
// back to the way that owns the block.
#pragma once

#include "transform/layout/reshard_row.h"

namespace foreflow::transform {

// One application of BlockAttention or its gradient in the program of all ways.
struct RingSite {
  const ir::OpCall& call;          // the op on the whole sequence
  const std::vector<Row>& inputs;  // per operand: per member of a tensor-parallel group, its parts; empty: absent
  int64_t blocks;                  // number of blocks of positions; every way has a part of each (see DataSplit)
};

// Per result: per member, its parts. Results have the layout of the queries, dk and dv that of k and v.
std::vector<Row> ring_attention(ir::FunctionBuilder& builder, const RingSite& site, int ways);
std::vector<Row> ring_attention_grad(ir::FunctionBuilder& builder, const RingSite& site, int ways);

}  // namespace foreflow::transform
