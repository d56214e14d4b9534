// Selects the parameters of a program that are trained.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per parameter of the entry: whether it is trained. These are the floating-point parameters that match one of the
// patterns `names` ('*' stands for any run of characters). If `names` is empty, they are all floating-point weights
// except running statistics (OpDef::statistics) and masks (`mask_weights`). Throws Error if a pattern matches no
// parameter.
std::vector<bool> trained_parameters(const ir::Module& module, const std::vector<std::string>& names);

// Returns true if `name` matches `pattern`, in which '*' stands for any run of characters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace foreflow::transform
