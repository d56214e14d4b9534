// Results of activation functions and gates that the backward pass can make again.
#pragma once

#include <vector>

#include "transform/blocks/forward_pass.h"

namespace foreflow::transform {

// Segments of forward ops, each of which ends with an op that makes a value element by element which only products
// read. Operands of the segment are read by the backward pass in any case, so nothing more is kept if it makes the
// segment again: of GELU its result, of SwiGLU the product of silu(gate) and up.
//
//   kept     gate, up                         backward   %s = Silu(%gate), %y = Mul(%s, %up)   again, for the gradient
//   not kept silu(gate), silu(gate) * up                 %dw = MatMul(%y', %dz)                of the next weight
//
// Where the backward pass reads a copy in fp8 instead (ir::kFp8), the segment ends with the copy, which is made again.
std::vector<Segment> activation_results(const ir::Module& module);

}  // namespace foreflow::transform
