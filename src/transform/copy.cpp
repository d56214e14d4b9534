#include "copy.h"

namespace foreflow::transform {

void copy_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& value = function.values[i];
    map.set(static_cast<ir::ValueId>(i), builder.parameter(value.name, function.parameters[i], value.annotation));
  }
}

void copy_op(ir::FunctionBuilder& builder, const ir::Function& function, const ir::Op& op, ValueMap& map) {
  std::vector<ir::ValueId> operands;
  for (const ir::ValueId id : function.inputs(op)) operands.push_back(map(id));
  const auto first = static_cast<int32_t>(builder.append(op.def, op.callee, op.attributes, operands, op.result_count));
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ir::ValueId old = function.output(op, i), copy = static_cast<ir::ValueId>(first + static_cast<int32_t>(i));
    builder.set_name(copy, function.value(old).name);
    builder.annotate(copy, function.value(old).annotation);
    map.set(old, copy);
  }
}

}  // namespace foreflow::transform
