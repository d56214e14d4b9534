// The forward pass of a program that `differentiate` has left: where it ends, and what in it is constant.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Ops of the entry function by number, ascending.
using Segment = std::vector<size_t>;

// How many of the function's first ops make its first result, the loss: the forward pass. What follows is the backward
// pass and the update.
size_t forward_ops(const ir::Function& function);

// Per value: it depends on no parameter.
std::vector<bool> constant_values(const ir::Function& function);

}  // namespace foreflow::transform
