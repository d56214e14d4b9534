#include "transform/replica/converted_weights.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool has_loss_gradient(const ir::Function& function) {
  return std::any_of(function.ops.begin(), function.ops.end(),
                     [](const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::loss_gradient; });
}

// Per op of the entry: whether it does work of the backward pass.
std::vector<bool> backward_ops(const ir::Module& module, const std::vector<int32_t>& makers) {
  const ir::Function& entry = module.entry();
  std::vector<bool> backward(entry.ops.size());
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    const ir::Op& op   = entry.ops[o];
    const auto inputs  = entry.inputs(op);
    const bool depends = std::any_of(inputs.begin(), inputs.end(), [&](ValueId id) {
      return id != ValueId::none && makers[ir::index(id)] >= 0 && nth(backward, makers[ir::index(id)]);
    });
    backward[o]        = depends || (op.is_call() ? has_loss_gradient(nth(module.functions, op.callee))
                                                  : op.def->role == ir::Role::loss_gradient);
  }
  return backward;
}

}  // namespace

ConvertedWeights converted_weights(const ir::Module& module, const ExchangePlan& plan) {
  const ir::Function& entry = module.entry();
  const auto makers         = ir::makers_of(entry);
  const auto backward       = backward_ops(module, makers);
  std::map<size_t, std::set<size_t>> forward;  // per call of the forward pass: the weights that it opens
  ConvertedWeights found;
  for (const Window& window : plan.windows) {
    const size_t call = window.at.op;
    if (!window.inside) continue;
    if (!backward[call]) {
      forward[call].insert(window.weights.begin(), window.weights.end());
      continue;
    }
    for (const ValueId id : entry.inputs(entry.ops[call])) {
      const int32_t maker = id == ValueId::none ? -1 : makers[ir::index(id)];
      const auto made     = forward.find(static_cast<size_t>(maker));
      if (maker < 0 || made == forward.end()) continue;
      for (const size_t weight : window.weights) {
        if (!made->second.contains(weight)) continue;
        if (std::binary_search(window.repeated.begin(), window.repeated.end(), weight)) continue;
        found.source[{call, weight}] = made->first;
        found.kept[made->first].insert(weight);
      }
    }
  }
  return found;
}

}  // namespace foreflow::transform
