// What the gradients of normalisations over the last dimensions, from attribute `axis` on, share: operands x, scale (of
// those dimensions) and dy, results dx and one sum over rows for each parameter.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// dx, and `sums` types like that of the scale; fails where shapes do not fit together.
std::vector<Type> infer_scaled_rows(const OpCall& call, size_t sums);

// Rows may be split: then the sums over them are partial.
Factors split_scaled_rows(const OpCall& call, size_t sums);

}  // namespace foreflow::ops
