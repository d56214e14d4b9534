#include <algorithm>

#include "foreflow/base/nth.h"
#include "ir/display.h"

namespace foreflow::ir {
namespace {

void print_value(std::string& out, const Function& function, ValueId id, const std::vector<bool>& used) {
  const Value& value = function.value(id);
  out += used[index(id)] || !value.name.empty() ? display_name(function, id) : "_";
  if (value.annotation != nullptr) out += ": " + to_string(*value.annotation);
}

bool is_positional(const OpDef& def, const std::string& name) {
  return std::find(def.positional.begin(), def.positional.end(), name) != def.positional.end();
}

void print_attributes(std::string& out, const Op& op) {
  bool first = true;
  for (const auto& [name, value] : *op.attributes) {
    if (!op.is_call() && is_positional(*op.def, name)) continue;
    out += (first ? "[" : ", ") + name + " = " + to_string(value);
    first = false;
  }
  if (!first) out += "]";
}

void print_arguments(std::string& out, const Function& function, const Op& op) {
  bool first = true;
  out += "(";
  const bool list = !op.is_call() && op.def->list_operand;
  if (list) out += "[";
  for (const ValueId id : function.inputs(op)) {
    if (!first) out += ", ";
    out += display_name(function, id);
    first = false;
  }
  if (list) out += "]";
  if (!op.is_call()) {
    for (const std::string_view name : op.def->positional) {
      const Attribute* value = op.attributes->find(name);
      if (value == nullptr) continue;
      if (!first) out += ", ";
      out += to_string(*value);
      first = false;
    }
  }
  out += ")";
}

void print_op(std::string& out, const Module& module, const Function& function, const Op& op,
              const std::vector<bool>& used) {
  out += "  ";
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (i > 0) out += ", ";
    print_value(out, function, function.output(op, i), used);
  }
  if (op.result_count > 0) out += " = ";
  if (op.is_call()) {
    out += "@" + nth(module.functions, op.callee).name;
  } else {
    out += op.def->name;
  }
  print_attributes(out, op);
  print_arguments(out, function, op);
  out += "\n";
}

}  // namespace

std::string print(const Function& function, const Module& module) {
  const std::vector<bool> used = used_values(function);
  std::string out              = "func @" + function.name + "(";
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    if (function.parameters[i] == ParameterRole::weight) out += "weight ";
    print_value(out, function, static_cast<ValueId>(i), used);
  }
  out += ") {\n";
  for (const Op& op : function.ops) print_op(out, module, function, op, used);
  out += "  return";
  for (size_t i = 0; i < function.results.size(); ++i)
    out += (i > 0 ? ", " : " ") + display_name(function, function.results[i]);
  return out + "\n}\n";
}

std::string print(const Module& module) {
  std::string out;
  for (const Function& function : module.functions) {
    if (!out.empty()) out += "\n";
    out += print(function, module);
  }
  return out;
}

}  // namespace foreflow::ir
