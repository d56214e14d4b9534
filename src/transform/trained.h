// Which parameters of a program are trained.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per parameter of the entry. `names`: which of the floating-point parameters (a '*' stands for any run of characters;
// Error where one matches none); empty: every floating-point weight, except the running statistics of
// BatchNormalization, which training does not move along a gradient.
std::vector<bool> trained_parameters(const ir::Module& module, const std::vector<std::string>& names);

}  // namespace foreflow::transform
