// Finds the equal layers of a forward pass.
#pragma once

#include <array>

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// The blocks that the forward pass repeats, in program order; all kinds of them, if it has several (as the stages of a
// convolutional network). Constants and ops that are not repeated belong to no block.
std::vector<Segment> forward_blocks(const ir::Module& module);
// The same for blocks of at least `smallest` ops. Blocks that differ only in marks of recomputation (kSegment) count as
// repetitions of one another.
std::vector<Segment> forward_blocks(const ir::Module& module, size_t smallest);

// The smallest sizes of blocks that are looked for, one after the other, until there are blocks.
inline constexpr std::array<size_t, 3> kSmallestBlocks = {8, 4, 2};

}  // namespace foreflow::transform
