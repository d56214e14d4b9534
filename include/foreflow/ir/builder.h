// Makes functions op by op; keeps the numbering right.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/ir/shared_attributes.h"

namespace foreflow::ir {

class FunctionBuilder {
 public:
  // `ops` outlives the builder and every function made with it.
  FunctionBuilder(std::string name, const OpTable& ops);

  // Parameters come before the first op. A name that is taken gets a suffix "_2", "_3", ...
  ValueId parameter(std::string name, ParameterRole role, TypeRef annotation = nullptr);
  ValueId parameter(std::string name, ParameterRole role, Type annotation);

  // Appends an op; names default to "v<number>". Error when `op` is not in the table.
  std::vector<ValueId> emit(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {},
                            size_t outputs = 1, const std::vector<std::string>& names = {});
  // The same with one result.
  ValueId op(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {}, std::string name = "");
  std::vector<ValueId> call(size_t callee, std::vector<ValueId> inputs, size_t outputs,
                            const std::vector<std::string>& names = {});
  // Appends an op by its row, sharing its attributes: the quick way for passes that copy ops. The names may be empty.
  ValueId append(const OpDef* def, int32_t callee, AttributesRef attributes, std::span<const ValueId> inputs,
                 size_t outputs);
  // Attributes for `append`: equal lists are one.
  AttributesRef share(Attributes attributes) { return attributes_(std::move(attributes)); }
  // Makes room for so many more; a pass that knows saves the moves.
  void reserve(size_t ops, size_t values, size_t operands);
  void set_name(ValueId id, std::string name);
  // Without asking whether another value has it: for names that come from one function.
  void take_name(ValueId id, std::string name) { function_.values.set_name(index(id), std::move(name)); }
  void annotate(ValueId id, TypeRef annotation);

  const Function& function() const { return function_; }
  const OpTable& table() const { return ops_; }
  // The finished function; the builder is spent.
  Function finish(std::vector<ValueId> results);

 private:
  std::string unique(std::string name);

  const OpTable& ops_;
  Function function_;
  SharedAttributes attributes_;
  std::unordered_map<std::string, int> taken_;
};

}  // namespace foreflow::ir
