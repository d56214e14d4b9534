// Finds the attention of a forward pass.
#pragma once

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// The attention cores of the forward pass. A core consists of the product that computes the scores, scale, mask,
// Softmax, dropout and the product with the values. This is the part that selective recomputation repeats (Korthikanti
// et al., 2022, section 5).
std::vector<Segment> attention_cores(const ir::Module& module);

}  // namespace foreflow::transform
