#include "transform/rewrite/copy.h"

#include "foreflow/base/error.h"

namespace foreflow::transform {

const ir::OpTable& no_ops() {
  static const ir::OpTable kNoOps("op", "ops", {});
  return kNoOps;
}

std::vector<ir::ValueId> copies(std::span<const ir::ValueId> ids, const ValueMap& map) {
  std::vector<ir::ValueId> copied;
  copied.reserve(ids.size());
  for (const ir::ValueId id : ids) copied.push_back(map(id));
  return copied;
}

void copy_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& value = function.values[i];
    map.set(static_cast<ir::ValueId>(i), builder.parameter(value.name, function.parameters[i], value.annotation));
  }
}

void take_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::ValueId copy = builder.parameter("", function.parameters[i], function.values[i].annotation);
    builder.take_name(copy, function.values[i].name);
    map.set(static_cast<ir::ValueId>(i), copy);
  }
}

void copy_op(ir::FunctionBuilder& builder, const ir::Function& function, const ir::Op& op, ValueMap& map) {
  const auto operands = copies(function.inputs(op), map);
  for (size_t i = 0; i < operands.size(); ++i) {
    FOREFLOW_CHECK(operands[i] != ir::ValueId::none || function.inputs(op)[i] == ir::ValueId::none,
                   "what makes an operand is copied before what reads it");
  }
  const auto first = static_cast<int32_t>(builder.append(op.def, op.callee, op.attributes, operands, op.result_count));
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ir::ValueId old = function.output(op, i), copy = static_cast<ir::ValueId>(first + static_cast<int32_t>(i));
    builder.set_name(copy, function.value(old).name);
    builder.annotate(copy, function.value(old).annotation);
    map.set(old, copy);
  }
}

}  // namespace foreflow::transform
