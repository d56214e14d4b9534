// Ops that work on tuples leaf by leaf: optimizers, Send, reductions over devices.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

inline const std::vector<Type>& elements_of(const Type& type) { return type.elements; }
inline const std::vector<Array>& elements_of(const Array& array) { return array.elements(); }

// Applies leaf({x1, x2, ..}) to corresponding tensors of the operands; the results form a tuple of the same structure.
// T is Type or Array. Fails if the operands differ in structure.
template <class T, class Leaf>
T map_leaves(const OpCall& call, const std::vector<T>& operands, const Leaf& leaf) {
  const T& first = operands.front();
  for (const T& operand : operands) {
    if (operand.is_tuple() != first.is_tuple() || elements_of(operand).size() != elements_of(first).size()) {
      call.fail("operands are different tuples; tuples of the same structure would be right");
    }
  }
  if (!first.is_tuple()) return leaf(operands);
  std::vector<T> elements;
  for (size_t e = 0; e < elements_of(first).size(); ++e) {
    std::vector<T> column;
    for (const T& operand : operands) column.push_back(elements_of(operand)[e]);
    elements.push_back(map_leaves(call, column, leaf));
  }
  return T::tuple(std::move(elements));
}

}  // namespace foreflow::ops
