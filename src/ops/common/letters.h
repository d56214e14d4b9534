// Builds the texts of dimension factors.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// `rank` letters from `first` on: letters(3) is "abc".
std::string letters(size_t rank, char first = 'a');

// Dimensions that must stay whole: dots(2) is "..".
std::string dots(size_t rank);

// One dot per dimension of the operand; empty if it is absent. For operands that are parameters of the op, such as axes
// and shapes.
std::string dots_of(const OpCall& call, size_t index);

// "a,b->c" from its parts, with dots for the operands of `call` that `inputs` leaves off.
std::string factor_text(const OpCall& call, std::vector<std::string> inputs, const std::vector<std::string>& outputs);

// Returns true if every operand is a tensor with known dimensions or absent. Otherwise the op has no factors.
bool splittable(const OpCall& call);

}  // namespace foreflow::ops
