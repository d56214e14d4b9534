// Values that fused kernels make again instead of keeping them.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// Returns true if every operand of an op has the dimensions of its result, and none must stay whole: element by
// element.
bool works_by_element(const ir::Function& function, const ir::Op& op,
                      const interpret::Values<interpret::Mixed>& values);

// Pairs of forward ops, each a segment that ends with the op that reads what the first one makes. What the first one
// makes is element by element of one value that the backward pass reads anyway, the second one is element-wise too, and
// nothing else in the forward pass reads it. So a kernel of both keeps its operands only, and its gradient makes the
// value between them again: SwiGLU keeps gate and up, and not silu(gate). Ops in `taken` are left alone.
std::vector<Segment> fused_values(const ir::Module& module, const std::vector<bool>& taken);

}  // namespace foreflow::transform
