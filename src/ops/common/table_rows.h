// Other rows of the table, for ops that are made of them.
#pragma once

#include "foreflow/ops/table.h"
#include "ops/common/kernel.h"

namespace foreflow::ops {

// Only inside the functions of a row: the table is complete when they run.
inline const OpDef& row_of(std::string_view name) { return table().get(name, "op table"); }

// Evaluates `row_of(name)` on given operands, on behalf of the same application. An absent operand is null.
inline std::vector<Array> evaluate(std::string_view name, const Attributes& attributes,
                                   const std::vector<const Array*>& operands, size_t outputs = 1) {
  std::vector<Type> types;
  for (const Array* operand : operands) types.push_back(operand == nullptr ? Type{} : operand->type());
  return row_of(name).eval({row_of(name), attributes, types, operands, outputs});
}

// The operands of `call` with Float64 in place of every float, so that an op made of others rounds its result once.
class Wide {
 public:
  explicit Wide(const OpCall& call)
      : def_(call.def), attributes_(call.attributes), outputs_(call.outputs), arrays_(call.arity()) {
    for (size_t i = 0; i < call.arity(); ++i) {
      const bool given = call.known[i] != nullptr;
      if (given) arrays_[i] = widened(*call.known[i]);
      known_.push_back(given ? &arrays_[i] : nullptr);
      types_.push_back(given ? arrays_[i].type() : Type{});
    }
  }
  Wide(const Wide&)            = delete;
  Wide& operator=(const Wide&) = delete;

  OpCall call() const { return {def_, attributes_, types_, known_, outputs_}; }
  const Array* operand(size_t index) const { return index < known_.size() ? known_[index] : nullptr; }

  static Array widened(const Array& array) {
    return ir::is_float(array.dtype()) ? array_of(DType::f64, array.dims(), values_of<double>(array)) : array;
  }

 private:
  const OpDef& def_;
  const Attributes& attributes_;
  size_t outputs_;
  std::vector<Array> arrays_;
  std::vector<const Array*> known_;
  std::vector<Type> types_;
};

}  // namespace foreflow::ops
