// Finds the equal layers of a forward pass.
#pragma once

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// The blocks that the forward pass repeats, in program order; all kinds of them, if it has several (as the stages of a
// convolutional network). Constants and ops that are not repeated belong to no block.
std::vector<Segment> forward_blocks(const ir::Module& module);

}  // namespace foreflow::transform
