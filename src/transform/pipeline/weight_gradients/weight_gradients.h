// Finds the part of the backward pass that computes only gradients of weights and may therefore be delayed (Qi et al.,
// Zero Bubble Pipeline Parallelism, 2023). For example, a product y = x w has the gradients
//
//   dx = dy w'    which the previous stage waits for
//   dw = x' dy    which only the update reads: it may be delayed
#pragma once

#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

// Changes the phase of backward ops to weight_grad:
//
// 1. an op whose only results are weight gradients: sums over the microbatches, or values that the update reads;
// 2. ops that process such a gradient further;
// 3. ops whose results are read by only one op of these kinds (a Transpose of x), but for what is recomputed;
// 4. gathers of rows of x that only such ops read, as the runtime of Zero Bubble gathers them (pre_process of its
//    layers.py, which WeightGradStore.pop calls).
//
// An op on which another stage or the gradient of an activation depends keeps its phase. So does an op that computes
// both kinds of gradients, such as that of a normalisation. What is recomputed is made in the backward pass and its
// result is kept, as without recomputation: of the product of a gate, delayed, both operands would be kept.
void mark_weight_gradients(const ir::Function& function, const interpret::Values<LaidOut>& values,
                           std::vector<StagedOp>& staged);

// A program whose backward pass can be split, and where its ops come from.
struct SplitBackward {
  ir::Module module;
  std::vector<size_t> origin;  // per op of the entry: the original op that it copies or replaces, or that needs it
};

// Replaces every MatMulGrad, which computes both gradients in one op, by two products. A program must be distributed
// before: devices gather an operand once for a joint op, but once for each of two products.
SplitBackward separate_products(const ir::Module& module, const ir::OpTable& ops);

// Lets gradients of weights, which separate_products has made, gather rows of x anew if recomputed ops of the backward
// pass read these, too. So only the rows of one device are kept until gradients of weights are computed, as without
// recomputation, where nothing else of the backward pass reads them.
SplitBackward separate_gathers(ir::Module module);

// Both in turn.
SplitBackward split_backward(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
