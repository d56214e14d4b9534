#include "foreflow/interpret/flops.h"

namespace foreflow::interpret {
namespace {

bool resolved(const Mixed& value) { return value.type.resolved() || value.type == ir::Type(); }

Flops flops_of(const ir::Function& function, const ir::Op& op, const Values<Mixed>& values) {
  std::vector<ir::Type> inputs, outputs;
  std::vector<const ir::Array*> known;
  inputs.reserve(op.operand_count);
  known.reserve(op.operand_count);
  outputs.reserve(op.result_count);
  bool countable = true;
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
  if (!countable || !arithmetic_left) return Flops(0);
  return op.def->work({*op.def, *op.attributes, inputs, known, op.result_count}, outputs).flops;
}

}  // namespace

Flops total_flops(const ir::Module& module, const MixedInterpretation& interpretation) {
  std::vector<Flops> totals;  // per instance; callees come before callers
  for (const Instance<Mixed>& instance : interpretation.instances) {
    const ir::Function& function = module.functions[instance.function];
    Flops total;
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Op& op = function.ops[o];
      if (op.is_call()) {
        total += totals[static_cast<size_t>(instance.callee[o])];
      } else if (op.def->role != ir::Role::communication) {
        total += flops_of(function, op, instance.values);
      }
    }
    totals.push_back(total);
  }
  return totals.empty() ? Flops(0) : totals.back();
}

}  // namespace foreflow::interpret
