// What an op does besides giving its results.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Per function: it runs an optimizer or a communication, itself or in what it calls.
std::vector<bool> functions_with_effects(const ir::Module& module);
bool has_effect(const ir::Op& op, const std::vector<bool>& functions_with_effects);

// Equal operands give equal results, and nothing else happens: no effects, no state, no randomness. Per function, and
// of an op.
std::vector<bool> pure_functions(const ir::Module& module);
bool is_pure(const ir::Op& op, const std::vector<bool>& pure_functions);

}  // namespace foreflow::transform
