// Normalisation of rows of x[n,g,..] as instance and group normalisation do it: one scale and bias for each g, or for
// each of the channels that divide a row.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// x's elements seen as [n, groups, rest]: every row is normalised, then scaled and moved.
Array normalise_rows(const OpCall& call, int64_t groups);

// dx, dscale and dbias, by LayerNormalizationGrad over the rows.
void grad_rows(GradBuilder& builder, int64_t groups);

}  // namespace foreflow::ops
