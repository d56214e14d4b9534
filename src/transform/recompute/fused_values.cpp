#include "transform/recompute/fused_values.h"

#include "foreflow/interpret/mixed.h"

namespace foreflow::transform {

using ir::ValueId;

bool works_by_element(const ir::Function& function, const ir::Op& op,
                      const interpret::Values<interpret::Mixed>& values) {
  if (op.is_call() || op.def->role != ir::Role::compute || op.result_count != 1 || op.def->factors == nullptr)
    return false;
  std::vector<ir::Type> inputs;
  for (const ValueId id : function.inputs(op)) {
    if (id == ValueId::none) return false;
    inputs.push_back(values[ir::index(id)].type);
  }
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const ir::Factors factors = op.def->factors({*op.def, *op.attributes, inputs, known, 1});
  const size_t arrow        = factors.text.find("->");
  if (factors.rule != ir::Factors::Rule::letters || arrow == std::string::npos) return false;
  const std::string result = factors.text.substr(arrow + 2);
  std::string operand;
  for (const char letter : factors.text.substr(0, arrow) + ",") {
    if (letter == '~') continue;
    if (letter != ',') {
      operand += letter;
      continue;
    }
    if (operand != result) return false;
    operand.clear();
  }
  return !result.empty() && result.find('.') == std::string::npos;
}

std::vector<Segment> fused_values(const ir::Module& module, const std::vector<bool>& taken) {
  const ir::Function& function = module.entry();
  const auto meaning           = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values           = meaning.entry().values;
  const size_t forward         = forward_ops(function);
  std::vector<std::vector<size_t>> readers(function.values.size());  // forward ops
  std::vector<bool> kept(function.values.size());                    // the backward pass reads it
  for (size_t o = 0; o < function.ops.size(); ++o) {
    for (const ValueId id : function.inputs(function.ops[o])) {
      if (id == ValueId::none) continue;
      if (o >= forward)
        kept[ir::index(id)] = true;
      else
        readers[ir::index(id)].push_back(o);
    }
  }
  std::vector<Segment> segments;
  std::vector<bool> used = taken;
  for (size_t o = 0; o < forward; ++o) {
    const ir::Op& op = function.ops[o];
    if (used[o] || op.result_count != 1 || op.operand_count != 1 || !kept[op.first_result]) continue;
    const ValueId from = function.inputs(op)[0];
    if (from == ValueId::none || !kept[ir::index(from)] || readers[op.first_result].size() != 1) continue;
    const size_t next = readers[op.first_result][0];
    if (used[next] || !works_by_element(function, op, values) ||
        !works_by_element(function, function.ops[next], values))
      continue;
    used[o] = used[next] = true;
    segments.push_back({o, next});
  }
  return segments;
}

}  // namespace foreflow::transform
