// The results of a layer that selective checkpointing per op keeps, as torchtitan runs it (`selective_ac_option` "op").
#pragma once

#include <vector>

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// Per op of the entry function: whether the backward pass finds its results kept. Of the ops of each layer, these are
// attention that is one op, every second product of activations with a matrix of weights, the first of the layer among
// them, and the products in `reduced` (per op; empty: none), whose results are kept as the reduce-scatters make them.
//
//   llama  wq kept, wk again, wv kept, attention kept, wo again, w1 kept, w3 again, w2 kept
//
// Stacks of matrices, as those of experts, are not on the list of torchtitan, nor are products of two activations.
std::vector<bool> saved_results(const ir::Module& module, const std::vector<Segment>& layers,
                                const std::vector<bool>& reduced);

}  // namespace foreflow::transform
