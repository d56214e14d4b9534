// Access to single elements along an axis, as in GatherElements and ScatterElements, and the combination of a scattered
// number with the one already there.
#pragma once

#include <algorithm>

#include "ops/common/elementwise.h"

namespace foreflow::ops {

// For every position of `indices` (rank of `data`): the offset in `data` of the element at that position, with its
// coordinate along `axis` replaced by the index. Negative indices count from the end; fails for one outside.
Offsets element_offsets(const OpCall& call, const Dims& data, const Array& indices, size_t axis);

// Fails where the ranks of data and indices are known and differ.
void check_element_indices(const OpCall& call);

// A letter for each dimension in which operands 0 and 1 have the same size; a dot for `axis` and for all others.
std::string element_letters(const OpCall& call, size_t axis);

// Emits zeros of the type of operand 0, whose shape must be known, for a gradient that is added up along `axis`. Where
// the first dimension is another one, those of one of its elements are repeated, so that samples may be elsewhere.
int emit_zeros(GradBuilder& builder, size_t axis);

// `reduction`: none, add, mul, max or min; fails for other words.
template <class T>
T combined(const OpCall& call, const std::string& reduction, T old, T update) {
  if (reduction == "none") return update;
  if (reduction == "add") return wrapping(std::plus{}, old, update);
  if (reduction == "mul") return wrapping(std::multiplies{}, old, update);
  if (reduction == "max") return std::max(old, update);
  if (reduction == "min") return std::min(old, update);
  call.fail("reduction \"" + reduction + "\"; none, add, mul, max or min would be right");
}

// `data` with update i combined into the element at offsets[i], in order.
Array scattered(const OpCall& call, const Array& data, const Offsets& offsets, const Array& updates);

}  // namespace foreflow::ops
