// Products in fp8: an attribute of MatMul and its gradient, by which cost models price them. Operands and results keep
// their types, so that programs mean the same.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The operand that is converted for this product alone: activations in the forward pass, gradients in the backward
// pass. The others have been converted before: weights once an iteration, activations by the forward pass. -1: both
// operands have been.
inline constexpr std::string_view kFp8 = "fp8";

}  // namespace foreflow::ir
