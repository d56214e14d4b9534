#include "foreflow/analyze/subject.h"

#include <algorithm>

namespace foreflow::analyze {
namespace {

const ir::Module& without_calls(const ir::Module& module) {
  const auto& ops = module.entry().ops;
  const auto call = std::find_if(ops.begin(), ops.end(), [](const ir::Op& op) { return op.is_call(); });
  if (call != ops.end()) throw Error(ir::describe(module, module.entry(), *call), "is a call; inline it first");
  return module;
}

}  // namespace

Subject::Subject(const ir::Module& module)
    : module_(without_calls(module)),
      interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)) {}

bool Subject::on_host(const ir::Op& op) const {
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (!value(function().output(op, i)).known) return false;
  }
  return true;
}

bool Subject::resolved(const ir::Op& op) const {
  const auto known = [&](ir::ValueId id) { return value(id).type.resolved(); };
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (!known(function().output(op, i))) return false;
  }
  const auto inputs = function().inputs(op);
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](ir::ValueId id) { return id == ir::ValueId::none || known(id); });
}

}  // namespace foreflow::analyze
