// Attention whose keys and values go round a ring of the ways that share a sequence (Liu et al., 2023, Ring Attention
// with Blockwise Transformers; the backward pass as in Megatron-LM). Way w has a block of queries and one of keys:
//
//   step 0          way 1: q1 with k1, v1      way 2: q2 with k2, v2      way 3: q3 with k3, v3
//           shift   k3, v3 -> 1                k1, v1 -> 2                k2, v2 -> 3
//   step 1          way 1: q1 with k3, v3      ...                        each result is merged with those before it
//
// In the backward pass the sums dk, dv follow their block round the ring, one shift more, and so come home complete.
#pragma once

#include "transform/layout/reshard_row.h"

namespace foreflow::transform {

// One application of BlockAttention or its gradient in the program of all ways.
struct RingSite {
  const ir::OpCall& call;          // of the whole sequence
  const std::vector<Row>& inputs;  // per operand: per member of a tensor-parallel group, its parts; empty: left out
  int64_t blocks;                  // that positions count, of each of which a way has a part; see DataSplit
};

// Per result, per member, its parts: results as the operands lie, dk and dv as k and v.
std::vector<Row> ring_attention(ir::FunctionBuilder& builder, const RingSite& site, int ways);
std::vector<Row> ring_attention_grad(ir::FunctionBuilder& builder, const RingSite& site, int ways);

}  // namespace foreflow::transform
