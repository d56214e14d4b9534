// Writes fused ops as the ops that they consist of (OpDef::unfused).
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

constexpr int kLeftOut = -1;  // the handle of an operand that is left out, and of a result that is not written

// A fused call with the builder of the ops that it becomes. Operands and results are handles of the builder.
struct FusedCall {
  ir::CallBuilder& builder;

  const Attributes& attributes() const { return builder.call().attributes; }
  const Type& type(size_t index) const { return builder.call().inputs[index]; }
  int operand(size_t index) const { return index < builder.call().arity() ? builder.input(index) : kLeftOut; }
  bool has(size_t index) const { return operand(index) != kLeftOut; }
  // Returns true if there is any operand from number `from` on.
  bool has_any(size_t from) const;

  int emit(std::string_view op, std::vector<int> operands, Attributes attributes = {}) const {
    return builder.emit(op, std::move(attributes), std::move(operands))[0];
  }
  int number(double number, DType dtype) const;
  int integers(const std::vector<int64_t>& list) const;  // a vector of them
};

// The activation that the attributes of the call name, of `x` (see fused_activation).
int activated_call(const FusedCall& fused, int x);
Attributes without_activation(const Attributes& attributes);

}  // namespace foreflow::ops
