// The operands and results of the ops of a function, as they were interpreted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/attribute_keys.h"

namespace foreflow::lower {

class OpValues {
 public:
  // Keeps references.
  OpValues(const ir::Module& module, const interpret::Instance<interpret::Mixed>& instance)
      : module_(module), function_(module.functions[instance.function]), instance_(instance) {}

  const ir::Type& type(ir::ValueId id) const { return instance_.values[ir::index(id)].type; }
  std::vector<ir::Type> input_types(const ir::Op& op) const;
  std::vector<ir::Type> output_types(const ir::Op& op) const;
  // Throws Error naming the op where a shape is not known.
  void check_resolved(const ir::Op& op, const std::vector<ir::Type>& types) const;
  // As OpCall::known.
  std::vector<const ir::Array*> known_inputs(const ir::Op& op) const;
  // Returns true if the elements of all results are known before the run.
  bool knows_outputs(const ir::Op& op) const;
  // Words that are equal for equal ops on equal values (ir/attribute_keys.h), until the next ones are asked for.
  std::span<const uint64_t> words(const ir::Op& op);

 private:
  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::Instance<interpret::Mixed>& instance_;
  ir::AttributeKeys attributes_;
  std::vector<uint64_t> words_;
};

}  // namespace foreflow::lower
