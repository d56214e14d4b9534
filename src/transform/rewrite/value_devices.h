// Finds the devices of the values of a program.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per function and value: its device, if all instances of the function agree; otherwise not placed. A function that is
// not called has an empty list.
std::vector<std::vector<ir::Device>> devices_of_values(const ir::Module& module);
// The same for the functions that are `wanted`, by number; empty for the others.
std::vector<std::vector<ir::Device>> devices_of_values(const ir::Module& module, const std::vector<bool>& wanted);

// Puts a program that is on no device on D1; returns any other program unchanged.
ir::Module placed_on_first(const ir::Module& module);

}  // namespace foreflow::transform
