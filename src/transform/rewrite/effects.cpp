#include "transform/rewrite/effects.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::transform {

bool has_effect(const ir::Op& op, const std::vector<bool>& functions_with_effects) {
  if (op.is_call()) return nth(functions_with_effects, op.callee);
  return op.def->role == ir::Role::optimizer || op.def->role == ir::Role::communication;
}

std::vector<bool> functions_with_effects(const ir::Module& module) {
  std::vector<bool> effects;  // callees stand above
  for (const ir::Function& function : module.functions) {
    effects.push_back(std::any_of(function.ops.begin(), function.ops.end(),
                                  [&](const ir::Op& op) { return has_effect(op, effects); }));
  }
  return effects;
}

bool is_pure(const ir::Op& op, const std::vector<bool>& pure_functions) {
  if (op.is_call()) return nth(pure_functions, op.callee);
  return op.def->foldable && op.def->role != ir::Role::optimizer && op.def->role != ir::Role::communication;
}

std::vector<bool> pure_functions(const ir::Module& module) {
  std::vector<bool> pure;
  for (const ir::Function& function : module.functions) {
    pure.push_back(
        std::all_of(function.ops.begin(), function.ops.end(), [&](const ir::Op& op) { return is_pure(op, pure); }));
  }
  return pure;
}

}  // namespace foreflow::transform
