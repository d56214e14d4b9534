// The attention of a forward pass.
#pragma once

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// Attention cores of the forward pass: from the product that makes the scores over scale, mask, Softmax and dropout to
// the product with the values (the part that selective recomputation repeats; Korthikanti et al., 2022, section 5).
std::vector<Segment> attention_cores(const ir::Module& module);

}  // namespace foreflow::transform
