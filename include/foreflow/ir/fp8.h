// Products in fp8: an attribute of products and their gradients, by which cost models price them. Operands and results
// keep their types, but for activations that the backward pass reads: it takes the copy in fp8 that the forward pass
// has made, a Cast with this attribute, which takes no time of its own.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The operand that is converted for this product: activations in the forward pass, gradients in the backward pass. The
// others have been converted before: weights once an iteration, activations by the forward pass. -1: both operands have
// been; of several products with one activation, such as those of queries, keys and values, the first converts it.
inline constexpr std::string_view kFp8 = "fp8";

// On a product in fp8 that is no op of a gradient by itself: it makes one, so it belongs to the backward pass.
inline constexpr std::string_view kFp8Gradient = "fp8_gradient";

// How many small kernels run before the product, which update the scales of fp8 for it and for the products of the same
// module: those that read one activation, and those that follow by element-wise ops alone. Absent: none.
inline constexpr std::string_view kFp8Updates = "fp8_updates";

// On a product in fp8 of inference, where one kernel converts the operand and nothing else is done for it. Cost models
// then leave out what else the measured programs run beside a product. Absent: a product of training.
inline constexpr std::string_view kFp8Inference = "fp8_inference";

}  // namespace foreflow::ir
