#include <set>

#include "display.h"

namespace foreflow::ir {
namespace {

void check(bool ok, const std::string& where, const std::string& what) {
  if (!ok) throw Error(where, what);
}

void verify_op(const Module& module, size_t self, const Op& op, size_t defined) {
  const Function& function = module.functions[self];
  const auto where         = [&] { return describe(module, function, op); };
  check(op.attributes != nullptr, where(), "has no attribute list");
  check(op.first_result == defined, where(), "results are not numbered in the order of definition");
  check(op.first_operand + op.operand_count <= function.operands.size(), where(), "operands lie outside the function");
  for (const ValueId id : function.inputs(op)) {
    if (id == ValueId::none) continue;
    check(static_cast<int32_t>(id) >= 0 && index(id) < defined, where(), "uses " + display_name(function, id) + " before it is defined");
  }
  if (!op.is_call()) return;
  check(op.callee >= 0 && static_cast<size_t>(op.callee) < self, where(), "calls a function that does not stand above");
  const Function& callee = module.functions[static_cast<size_t>(op.callee)];
  check(op.operand_count == callee.parameters.size() && op.result_count == callee.results.size(), where(),
        "does not match the parameters and results of @" + callee.name);
}

void verify_function(const Module& module, size_t self) {
  const Function& function = module.functions[self];
  const std::string where  = module.source + ": @" + function.name;
  std::set<std::string_view> names;
  for (const Value& value : function.values) {
    check(value.name.empty() || names.insert(value.name).second, where, "%" + value.name + " is defined twice");
  }
  check(function.parameters.size() <= function.values.size(), where, "has more parameters than values");
  size_t defined = function.parameters.size();
  for (const Op& op : function.ops) {
    verify_op(module, self, op, defined);
    defined += op.result_count;
  }
  check(defined == function.values.size(), where, "has values that no op defines");
  for (const ValueId id : function.results) {
    check(static_cast<int32_t>(id) >= 0 && index(id) < defined, where, "returns a value that is not defined");
  }
}

}  // namespace

void verify(const Module& module) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    check(names.insert(module.functions[i].name).second, module.source, "the function @" + module.functions[i].name + " is defined twice");
    verify_function(module, i);
  }
}

}  // namespace foreflow::ir
