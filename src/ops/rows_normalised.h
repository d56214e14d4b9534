// Normalisation of rows of x[n,g,..], one scale and bias for each g, as instance and group normalisation do it.
#pragma once

#include "ops/op.h"

namespace foreflow::ops {

// x's elements seen as [n, groups, rest]: every row has mean bias[g] and deviation scale[g] afterwards.
Array normalise_rows(const OpCall& call, int64_t groups);

// dx, dscale and dbias, by LayerNormalizationGrad over the rows.
void grad_rows(GradBuilder& builder, int64_t groups);

}  // namespace foreflow::ops
