#include "ops/common/rows.h"

#include "foreflow/ops/table.h"

namespace foreflow::ops {

std::vector<Type> infer_row(std::string_view op, const Attributes& attributes, std::span<const Type> inputs) {
  const OpDef& def = table().get(op, "op");
  const std::vector<const Array*> known(inputs.size());
  return def.infer({def, attributes, inputs, known});
}

Flops flops_of_row(std::string_view op, const Attributes& attributes, std::span<const Type> inputs) {
  const OpDef& def = table().get(op, "op");
  const std::vector<const Array*> known(inputs.size());
  const OpCall call{def, attributes, inputs, known};
  return def.work(call, def.infer(call)).flops;
}

std::vector<Array> eval_row(std::string_view op, const Attributes& attributes, std::span<const Array* const> inputs) {
  const OpDef& def = table().get(op, "op");
  std::vector<Type> types;
  for (const Array* input : inputs) types.push_back(input == nullptr ? Type{} : input->type());
  return def.eval({def, attributes, types, inputs});
}

}  // namespace foreflow::ops
