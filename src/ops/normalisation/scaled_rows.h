// Shared by the gradients of normalisations over the dimensions from attribute `axis` on. Operands: x, scale (with
// these dimensions) and dy. Results: dx, and for each parameter a sum over rows.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The types of dx and of `sums` sums, which have the type of the scale. Fails if the shapes do not match.
std::vector<Type> infer_scaled_rows(const OpCall& call, size_t sums);

// Rows may be split; the sums over them are then partial.
Factors split_scaled_rows(const OpCall& call, size_t sums);

}  // namespace foreflow::ops
