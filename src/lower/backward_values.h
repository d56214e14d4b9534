// The backward pass of a program, value by value.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::lower {

// Per function, per value: whether it depends on the gradient of the loss, in any call. What the backward pass computes
// again of the forward pass does not.
std::vector<std::vector<bool>> backward_values(const ir::Module& module);

}  // namespace foreflow::lower
