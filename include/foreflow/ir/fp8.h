// Products in fp8: an attribute of MatMul and its gradient, by which cost models price them. Operands and results keep
// their types, but for activations that the backward pass reads: it takes the copy in fp8 that the forward pass has
// made, a Cast with this attribute, which takes no time of its own.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The operand that is converted for this product alone: activations in the forward pass, gradients in the backward
// pass. The others have been converted before: weights once an iteration, activations by the forward pass. -1: both
// operands have been.
inline constexpr std::string_view kFp8 = "fp8";

// How many small kernels run before the product, which update the scales of fp8 for it and for the products of the same
// module. Absent: none.
inline constexpr std::string_view kFp8Updates = "fp8_updates";

}  // namespace foreflow::ir
