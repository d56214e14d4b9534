#include "onnx/prune.h"

namespace foreflow::onnx {

using ir::ValueId;

ir::Function without_unread(const ir::Function& function, const std::set<ValueId>& candidates) {
  std::set<ValueId> dropped = candidates;
  for (const ValueId id : function.operands) dropped.erase(id);
  for (const ValueId id : function.results) dropped.erase(id);
  if (dropped.empty()) return function;
  ir::Function kept = function;
  kept.values.clear();
  kept.parameters.clear();
  std::vector<ValueId> renumbered;
  for (size_t i = 0; i < function.values.size(); ++i) {
    renumbered.push_back(static_cast<ValueId>(kept.values.size()));
    if (dropped.contains(static_cast<ValueId>(i))) continue;
    kept.values.push_back(function.values[i]);
    if (i < function.parameters.size()) kept.parameters.push_back(function.parameters[i]);
  }
  for (std::vector<ValueId>* ids : {&kept.operands, &kept.results}) {
    for (ValueId& id : *ids) id = id == ValueId::none ? id : renumbered[ir::index(id)];
  }
  for (ir::Op& op : kept.ops) op.first_result -= static_cast<uint32_t>(dropped.size());
  return kept;
}

}  // namespace foreflow::onnx
