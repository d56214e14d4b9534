// Builds a function op by op and numbers its values.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/ir/shared_attributes.h"

namespace foreflow::ir {

class FunctionBuilder {
 public:
  // `ops` must outlive the builder and every function made with it.
  FunctionBuilder(std::string name, const OpTable& ops);

  // Adds a parameter; all parameters are added before the first op. A name that is taken gets a suffix "_2", "_3", ...
  ValueId parameter(std::string name, ParameterRole role, TypeRef annotation = nullptr);
  ValueId parameter(std::string name, ParameterRole role, Type annotation);

  // Appends an op and returns its results, whose names default to "v<number>". Throws Error if `op` is not in the
  // table.
  std::vector<ValueId> emit(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {},
                            size_t outputs = 1, const std::vector<std::string>& names = {});
  // The same for an op with one result.
  ValueId op(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {}, std::string name = "");
  std::vector<ValueId> call(size_t callee, std::vector<ValueId> inputs, size_t outputs,
                            const std::vector<std::string>& names = {});
  // Appends an op given by its row, sharing `attributes`, and returns its first result; the fast way to copy ops.
  // Results are not named.
  ValueId append(const OpDef* def, int32_t callee, AttributesRef attributes, std::span<const ValueId> inputs,
                 size_t outputs);
  // Attributes for `append`; equal ones are stored once.
  AttributesRef share(Attributes attributes) { return attributes_(std::move(attributes)); }
  // Reserves memory for this many more ops, values and operands.
  void reserve(size_t ops, size_t values, size_t operands);
  // Names a value; a name that is taken gets a suffix.
  void set_name(ValueId id, std::string name);
  // Names a value without checking whether the name is taken: for names that all come from one function.
  void take_name(ValueId id, std::string name) { function_.values.set_name(index(id), std::move(name)); }
  void annotate(ValueId id, TypeRef annotation);

  const Function& function() const { return function_; }
  const OpTable& table() const { return ops_; }
  // Returns the finished function. The builder must not be used afterwards.
  Function finish(std::vector<ValueId> results);

 private:
  std::string unique(std::string name);

  const OpTable& ops_;
  Function function_;
  SharedAttributes attributes_;
  std::unordered_map<std::string, int> taken_;
};

}  // namespace foreflow::ir
