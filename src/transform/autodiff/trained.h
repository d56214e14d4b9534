// Which parameters of a program are trained.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per parameter of the entry. `names`: which of the floating-point parameters (a '*' stands for any run of characters;
// Error where one matches none); empty: every floating-point weight, except the running statistics of
// BatchNormalization, which training does not move along a gradient.
std::vector<bool> trained_parameters(const ir::Module& module, const std::vector<std::string>& names);

// Whether a name is `pattern`, in which a '*' stands for any run of characters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace foreflow::transform
