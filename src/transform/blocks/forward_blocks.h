// The equal layers of a forward pass.
#pragma once

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// The blocks that the forward pass repeats (equal layers), in program order. Constants stand outside, as does whatever
// is not repeated. Blocks of different kinds (the stages of a convolutional network) are all found.
std::vector<Segment> forward_blocks(const ir::Module& module);

}  // namespace foreflow::transform
