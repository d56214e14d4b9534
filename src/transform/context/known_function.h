// Facts about a function without calls that passes on attention ask for: which op makes a value, its shape, its number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/uses.h"

namespace foreflow::transform {

// The entry function of a module with what is known of its values. The module must outlive it.
struct KnownFunction {
  explicit KnownFunction(const ir::Module& module);

  // The op that computes a value; null for a parameter.
  const ir::Op* made_by(ir::ValueId id) const;
  const ir::Type& type(ir::ValueId id) const { return known.entry().values[ir::index(id)].type; }
  const ir::Dims& dims(ir::ValueId id) const { return type(id).dims; }
  // The elements of a small value; null: not known.
  const ir::Array* elements(ir::ValueId id) const { return known.entry().values[ir::index(id)].known.get(); }
  // The number that a value of one element holds, if it is known.
  std::optional<double> number(ir::ValueId id) const;
  // The number that an op multiplies its first operand by; nothing: it does something else.
  std::optional<double> factor_of(const ir::Op& op) const;

  const ir::Module& module;
  const ir::Function& function;
  const interpret::MixedInterpretation known;
  const std::vector<int32_t> makers;  // per value: the op that makes it; -1: a parameter
  const ir::Readers readers;
};

// Returns true if the op orders dimensions so; null: no op.
bool permutes(const ir::Op* op, const std::vector<int64_t>& dimensions);

// Returns true if the op sees the same elements as another shape.
bool is_reshape(const ir::Op& op);

}  // namespace foreflow::transform
