#include "foreflow/ir/builder.h"

namespace foreflow::ir {

FunctionBuilder::FunctionBuilder(std::string name, const OpTable& ops) : ops_(ops) { function_.name = std::move(name); }

std::string FunctionBuilder::unique(std::string name) {
  const auto own_number = [](std::string_view text) {
    return text.size() > 1 && text.starts_with('v') && text.find_first_not_of("0123456789", 1) == text.npos;
  };
  if (name.empty() || own_number(name)) return {};  // v<number> is how unnamed values are printed
  const auto [entry, fresh] = taken_.try_emplace(name, 1);
  if (fresh) return name;
  std::string candidate;
  do {
    candidate = name + "_" + std::to_string(++entry->second);
  } while (!taken_.emplace(candidate, 1).second);
  return candidate;
}

ValueId FunctionBuilder::parameter(std::string name, ParameterRole role, TypeRef annotation) {
  FOREFLOW_CHECK(function_.ops.empty(), "parameters come before the first op");
  function_.values.push_back({unique(std::move(name)), std::move(annotation)});
  function_.parameters.push_back(role);
  return static_cast<ValueId>(function_.values.size() - 1);
}

ValueId FunctionBuilder::parameter(std::string name, ParameterRole role, Type annotation) {
  return parameter(std::move(name), role, std::make_shared<const Type>(std::move(annotation)));
}

ValueId FunctionBuilder::append(const OpDef* def, int32_t callee, AttributesRef attributes,
                                std::span<const ValueId> inputs, size_t outputs) {
  Op op;
  op.def           = def;
  op.callee        = callee;
  op.attributes    = std::move(attributes);
  op.first_operand = static_cast<uint32_t>(function_.operands.size());
  op.operand_count = static_cast<uint32_t>(inputs.size());
  op.first_result  = static_cast<uint32_t>(function_.values.size());
  op.result_count  = static_cast<uint32_t>(outputs);
  function_.operands.insert(function_.operands.end(), inputs.begin(), inputs.end());
  function_.values.resize(function_.values.size() + outputs);
  function_.ops.push_back(std::move(op));
  return static_cast<ValueId>(function_.ops.back().first_result);
}

std::vector<ValueId> FunctionBuilder::emit(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                                           size_t outputs, const std::vector<std::string>& names) {
  const auto first = static_cast<int32_t>(
      append(&ops_.get(op, "@" + function_.name), -1, share(std::move(attributes)), inputs, outputs));
  std::vector<ValueId> results;
  for (size_t i = 0; i < outputs; ++i) {
    results.push_back(static_cast<ValueId>(first + static_cast<int32_t>(i)));
    if (i < names.size()) set_name(results.back(), names[i]);
  }
  return results;
}

ValueId FunctionBuilder::op(std::string_view op, std::vector<ValueId> inputs, Attributes attributes, std::string name) {
  return emit(op, std::move(inputs), std::move(attributes), 1, {std::move(name)}).front();
}

std::vector<ValueId> FunctionBuilder::call(size_t callee, std::vector<ValueId> inputs, size_t outputs,
                                           const std::vector<std::string>& names) {
  const auto first = static_cast<int32_t>(append(nullptr, static_cast<int32_t>(callee), share({}), inputs, outputs));
  std::vector<ValueId> results;
  for (size_t i = 0; i < outputs; ++i) {
    results.push_back(static_cast<ValueId>(first + static_cast<int32_t>(i)));
    if (i < names.size()) set_name(results.back(), names[i]);
  }
  return results;
}

void FunctionBuilder::reserve(size_t ops, size_t values, size_t operands) {
  function_.ops.reserve(function_.ops.size() + ops);
  function_.values.reserve(function_.values.size() + values);
  function_.operands.reserve(function_.operands.size() + operands);
}

void FunctionBuilder::set_name(ValueId id, std::string name) {
  function_.values.set_name(index(id), unique(std::move(name)));
}
void FunctionBuilder::annotate(ValueId id, TypeRef annotation) {
  function_.values.annotate(index(id), std::move(annotation));
}

Function FunctionBuilder::finish(std::vector<ValueId> results) {
  function_.results = std::move(results);
  return std::move(function_);
}

}  // namespace foreflow::ir
