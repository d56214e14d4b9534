// An op of an interpreted function in the form that the rules of its row take (ir::OpCall).
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"

namespace foreflow::transform {

class OpTypes {
 public:
  OpTypes(const ir::Function& function, const ir::Op& op, const interpret::Values<interpret::Mixed>& values) : op_(op) {
    inputs.reserve(op.operand_count);
    known.reserve(op.operand_count);
    outputs.reserve(op.result_count);
    for (const ir::ValueId id : function.inputs(op)) {
      const interpret::Mixed* value = id == ir::ValueId::none ? nullptr : &values[ir::index(id)];
      inputs.push_back(value == nullptr ? ir::Type() : value->type);
      known.push_back(value != nullptr && value->known ? &*value->known : nullptr);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(values[op.first_result + i].type);
  }
  // Valid as long as this object lives.
  ir::OpCall call() const { return {*op_.def, *op_.attributes, inputs, known, op_.result_count}; }

  std::vector<ir::Type> inputs, outputs;
  std::vector<const ir::Array*> known;

 private:
  const ir::Op& op_;
};

}  // namespace foreflow::transform
