// Texts of dimension factors.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// `rank` letters from `first` on: letters(3) is "abc".
std::string letters(size_t rank, char first = 'a');

// Whole dimensions: dots(2) is "..".
std::string dots(size_t rank);

// As many dots as the operand has dimensions; nothing for an operand left out. For operands that only steer (axes,
// shapes).
std::string dots_of(const OpCall& call, size_t index);

// "a,b->c" from its parts, with dots for the operands of `call` that `inputs` leaves off.
std::string factor_text(const OpCall& call, std::vector<std::string> inputs, const std::vector<std::string>& outputs);

// Every operand must be a tensor with known dimensions for factors to exist; operands left out do not count.
bool splittable(const OpCall& call);

}  // namespace foreflow::ops
