#include "foreflow/interpret/flops.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::interpret {
namespace {

bool resolved(const Mixed& value) { return value.type.resolved() || value.type == ir::Type(); }

using ByType = std::map<ir::DType, Flops>;

// The type of the first tensor among the operands and results.
ir::DType dtype_of(const ir::Function& function, const ir::Op& op, const Values<Mixed>& values) {
  for (const ir::ValueId id : function.inputs(op)) {
    if (id != ir::ValueId::none && values[ir::index(id)].type.is_tensor()) return values[ir::index(id)].type.dtype;
  }
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ir::Type& type = values[op.first_result + i].type;
    if (type.is_tensor()) return type.dtype;
  }
  return ir::DType::f32;
}

}  // namespace

Flops flops_of(const ir::Function& function, const ir::Op& op, const Values<Mixed>& values) {
  std::vector<ir::Type> inputs, outputs;
  std::vector<const ir::Array*> known;
  inputs.reserve(op.operand_count);
  known.reserve(op.operand_count);
  outputs.reserve(op.result_count);
  bool countable = op.def->role != ir::Role::communication;
  for (const ir::ValueId id : function.inputs(op)) {
    const bool given = id != ir::ValueId::none;
    inputs.push_back(given ? values[ir::index(id)].type : ir::Type());
    known.push_back(given && values[ir::index(id)].known ? &*values[ir::index(id)].known : nullptr);
    countable = countable && (!given || resolved(values[ir::index(id)]));
  }
  bool arithmetic_left = false;
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const Mixed& output = values[op.first_result + i];
    outputs.push_back(output.type);
    countable       = countable && resolved(output);
    arithmetic_left = arithmetic_left || !output.known;
  }
  if (!countable || !arithmetic_left) return {};
  return op.def->work({*op.def, *op.attributes, inputs, known, op.result_count}, outputs).flops;
}

ByType flops_by_type(const ir::Module& module, const MixedInterpretation& interpretation) {
  std::vector<ByType> totals;  // per instance; callees come before callers
  for (const Instance<Mixed>& instance : interpretation.instances) {
    const ir::Function& function = module.functions[instance.function];
    ByType total;
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Op& op = function.ops[o];
      if (op.is_call()) {
        for (const auto& [dtype, flops] : nth(totals, instance.callee[o])) total[dtype] += flops;
      } else if (op.def->role != ir::Role::communication) {
        total[dtype_of(function, op, instance.values)] += flops_of(function, op, instance.values);
      }
    }
    totals.push_back(std::move(total));
  }
  return totals.empty() ? ByType() : std::move(totals.back());
}

Flops total_flops(const ir::Module& module, const MixedInterpretation& interpretation) {
  Flops total;
  for (const auto& [dtype, flops] : flops_by_type(module, interpretation)) total += flops;
  return total;
}

}  // namespace foreflow::interpret
