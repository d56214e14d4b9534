// The names of values in text. A value without a name is printed as %v<number>, an unused result as '_'.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/ir/text.h"

namespace foreflow::ir {

std::string display_name(const Function& function, ValueId id);
std::vector<bool> used_values(const Function& function);

}  // namespace foreflow::ir
