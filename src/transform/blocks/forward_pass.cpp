#include "transform/blocks/forward_pass.h"

#include <algorithm>

#include "foreflow/ir/uses.h"

namespace foreflow::transform {

using ir::ValueId;

size_t forward_ops(const ir::Function& function) {
  if (function.results.empty()) return 0;
  const std::vector<int32_t> makers = ir::makers_of(function);
  const int32_t ops                 = makers[ir::index(function.results[0])] + 1;
  const auto backward               = std::find_if(function.ops.begin(), function.ops.end(), [](const ir::Op& op) {
    return !op.is_call() && op.def->role == ir::Role::loss_gradient;
  });
  return std::min(static_cast<size_t>(ops), static_cast<size_t>(backward - function.ops.begin()));
}

std::vector<bool> constant_values(const ir::Function& function) {
  std::vector<bool> constant(function.values.size());
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    const bool fixed  = std::all_of(inputs.begin(), inputs.end(),
                                    [&](ValueId id) { return id == ValueId::none || constant[ir::index(id)]; });
    std::fill_n(constant.begin() + op.first_result, op.result_count, fixed);
  }
  return constant;
}

}  // namespace foreflow::transform
