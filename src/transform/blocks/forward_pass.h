// The forward pass of a program that `differentiate` made: where it ends, and which of its values are constant.
#pragma once

#include <cstddef>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Indices of ops of the entry function, ascending.
using Segment = std::vector<size_t>;

// The number of ops of the forward pass, which ends with the op that computes the first result, the loss, or where the
// backward pass begins if that is earlier: ranks may sum their losses at the end. The backward pass and the update
// follow.
size_t forward_ops(const ir::Function& function);

// Per value: whether it depends on no parameter.
std::vector<bool> constant_values(const ir::Function& function);

}  // namespace foreflow::transform
