// Axes and other integers that an op takes either as an attribute or as an operand.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// `axis` counted from the front; fails when it is not in [-rank, rank).
size_t normal_axis(const OpCall& call, int64_t axis, size_t rank);

// The attribute `axis`, or `fallback`.
size_t axis_attribute(const OpCall& call, size_t rank, int64_t fallback);

// Integers from attribute `name` or, where there is none, operand `index`.
struct Integers {
  bool given = false;                        // there is an attribute or an operand
  std::optional<std::vector<int64_t>> list;  // null: not given, or the numbers of the operand are not known yet
  bool unknown() const { return given && !list; }
};
Integers integers(const OpCall& call, std::string_view name, size_t index);

// The gradient of an op that gives operand 0 another shape: it takes the operand's. Fails where that is not known.
void grad_reshaped(GradBuilder& builder);

// Emits the gradient of a choice of `positions` along `axis` of a dimension of `dim` elements.
int emit_scattered(GradBuilder& builder, int gradient, size_t axis, int64_t dim, const std::vector<int64_t>& positions);

}  // namespace foreflow::ops
