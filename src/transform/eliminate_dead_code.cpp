#include "copy.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "pass_arguments.h"

namespace foreflow::transform {
namespace {

bool has_effect(const ir::Op& op) {
  return op.is_call() || op.def->role == ir::Role::optimizer || op.def->role == ir::Role::communication;
}

std::vector<bool> needed_ops(const ir::Function& function) {
  std::vector<bool> used(function.values.size()), needed(function.ops.size());
  for (const ir::ValueId id : function.results) used[ir::index(id)] = true;
  for (size_t o = function.ops.size(); o-- > 0;) {
    const ir::Op& op = function.ops[o];
    needed[o]        = has_effect(op);
    for (uint32_t i = 0; i < op.result_count; ++i) needed[o] = needed[o] || used[op.first_result + i];
    if (!needed[o]) continue;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none) used[ir::index(id)] = true;
    }
  }
  return needed;
}

}  // namespace

ir::Module eliminate_dead_code(const ir::Module& module) {
  ir::Module result;
  result.source = module.source;
  for (const ir::Function& function : module.functions) {
    static const ir::OpTable kNoOps("op", {});  // only existing ops are copied
    ir::FunctionBuilder builder(function.name, kNoOps);
    ValueMap map(function.values.size());
    copy_parameters(builder, function, map);
    const std::vector<bool> needed = needed_ops(function);
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (needed[o]) copy_op(builder, function, function.ops[o], map);
    }
    std::vector<ir::ValueId> results;
    for (const ir::ValueId id : function.results) results.push_back(map(id));
    result.functions.push_back(builder.finish(std::move(results)));
  }
  ir::verify(result);
  return result;
}

namespace definitions {
PassDef eliminate_dead_code() {
  return {"eliminate_dead_code", "remove ops whose results nobody uses", {},
          [](const ir::Module& module, const ir::OpTable&, const PassArguments&) { return transform::eliminate_dead_code(module); }};
}
}  // namespace definitions

}  // namespace foreflow::transform
