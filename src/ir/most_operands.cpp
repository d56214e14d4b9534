#include "foreflow/ir/most_operands.h"

namespace foreflow::ir {

std::string operand_problem(const OpDef& def, std::span<const ValueId> operands) {
  if (!def.most_operands || operands.size() <= *def.most_operands) return "";
  size_t count = operands.size();
  while (count > 0 && operands[count - 1] == ValueId::none) --count;
  if (count <= *def.most_operands) return "";
  const std::string right = *def.most_operands == 0 ? "none" : "at most " + std::to_string(*def.most_operands);
  return std::string(def.name) + " has " + std::to_string(count) + " operands; " + right + " would be right";
}

}  // namespace foreflow::ir
