// One op on given arrays.
#pragma once

#include "foreflow/ops/table.h"

namespace foreflow::test {

inline std::vector<ir::Array> apply_all(const std::string& op, const ir::Attributes& attributes,
                                        const std::vector<ir::Array>& operands, size_t outputs) {
  std::vector<ir::Type> types;
  std::vector<const ir::Array*> known;
  for (const ir::Array& operand : operands) {
    types.push_back(operand.type());
    known.push_back(&operand);
  }
  const ir::OpDef& def = ops::table().get(op, "test");
  const ir::OpCall call{def, attributes, types, known, outputs};
  def.infer(call);
  return def.eval(call);
}

inline ir::Array apply(const std::string& op, const ir::Attributes& attributes,
                       const std::vector<ir::Array>& operands) {
  return apply_all(op, attributes, operands, 1).at(0);
}

}  // namespace foreflow::test
