#include "foreflow/ir/module.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/suggestion.h"
#include "ir/display.h"

namespace foreflow::ir {

void OpCall::fail(const std::string& what) const { throw OpError(def.name, what); }

const Function* Module::find(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

size_t find_entry(const Module& module, std::string_view name) {
  if (module.functions.empty()) throw Error(module.source, "has no function; write func @main(...) { ... }");
  if (name.empty()) return module.functions.size() - 1;
  const std::string wanted = "@" + std::string(name);
  std::vector<std::string> names;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].name == name) return i;
    names.push_back("@" + module.functions[i].name);
  }
  throw Error(module.source, "has no function " + wanted + suggestion(wanted, names));
}

std::vector<bool> used_values(const Function& function) {
  std::vector<bool> used(function.values.size());
  for (const ValueId id : function.operands) {
    if (id != ValueId::none) nth(used, id) = true;
  }
  for (const ValueId id : function.results) nth(used, id) = true;
  for (size_t i = 0; i < function.parameters.size(); ++i) used[i] = true;
  return used;
}

std::string display_name(const Function& function, ValueId id) {
  if (id == ValueId::none) return "_";
  const std::string& name = function.value(id).name;
  return "%" + (name.empty() ? "v" + std::to_string(static_cast<int32_t>(id)) : name);
}

std::string describe(const Module& module, const Function& function, const Op& op) {
  std::string text = module.source;
  if (op.line > 0) text += ":" + std::to_string(op.line);
  text += ": @" + function.name + ": ";
  for (uint32_t i = 0; i < op.result_count; ++i)
    text += (i > 0 ? ", " : "") + display_name(function, function.output(op, i));
  text += op.result_count > 0 ? " = " : "";
  return text + (op.is_call() ? "@" + nth(module.functions, op.callee).name : std::string(op.def->name));
}

bool same_program(const Module& a, const Module& b) { return print(a) == print(b); }

}  // namespace foreflow::ir
