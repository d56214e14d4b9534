// Parts of a forward pass that may be done again in the backward pass instead of being remembered.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Ops of the entry function by number, ascending.
using Segment = std::vector<size_t>;

// How many of the function's first ops make its first result, the loss: the forward pass. What follows is the backward
// pass and the update.
size_t forward_ops(const ir::Function& function);

// The blocks that the forward pass repeats (equal layers), in program order. Constants stand outside, as does whatever
// is not repeated. Blocks of different kinds (the stages of a convolutional network) are all found.
std::vector<Segment> forward_blocks(const ir::Module& module);

// Attention cores of the forward pass: from the product that makes the scores over scale, mask, Softmax and dropout to
// the product with the values (the part that selective recomputation repeats; Korthikanti et al., 2022, section 5).
std::vector<Segment> attention_cores(const ir::Module& module);

// Per value: it depends on no parameter.
std::vector<bool> constant_values(const ir::Function& function);

}  // namespace foreflow::transform
