// Where the values of a program are.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per function and value: its device in all instances of the function; not placed where they differ. Empty for a
// function that nobody calls.
std::vector<std::vector<ir::Device>> devices_of_values(const ir::Module& module);
// The same for the functions that are `wanted`, by number; empty for the others.
std::vector<std::vector<ir::Device>> devices_of_values(const ir::Module& module, const std::vector<bool>& wanted);

// A program on no device, on D1; any other as it is.
ir::Module placed_on_first(const ir::Module& module);

}  // namespace foreflow::transform
