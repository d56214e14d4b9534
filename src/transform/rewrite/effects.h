// Side effects of ops.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per function: whether it runs an optimizer or a communication, directly or in a callee.
std::vector<bool> functions_with_effects(const ir::Module& module);
bool has_effect(const ir::Op& op, const std::vector<bool>& functions_with_effects);

// pure_functions tells for each function whether it is pure, and is_pure returns true if an op is. Pure means that
// equal operands give equal results, and that there are no effects, no state and no randomness.
std::vector<bool> pure_functions(const ir::Module& module);
bool is_pure(const ir::Op& op, const std::vector<bool>& pure_functions);

}  // namespace foreflow::transform
