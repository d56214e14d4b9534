// How values are named in text: a value without a name of its own is %v<number>, a result that nobody uses is '_'.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/ir/text.h"

namespace foreflow::ir {

std::string display_name(const Function& function, ValueId id);
std::vector<bool> used_values(const Function& function);

}  // namespace foreflow::ir
