// Slices chosen by tuples of indices, as GatherND and ScatterND mean them.
#pragma once

#include "ops/common/views.h"

namespace foreflow::ops {

// indices[b.., i.., k]: for every tuple of k indices, the offsets of the elements of the slice of `data` that it
// chooses, one slice after the other. The first `batch_dims` dimensions of both are the same. Negative indices count
// from the end.
Offsets slice_offsets(const OpCall& call, const Dims& data, const Array& indices, int64_t batch_dims);

}  // namespace foreflow::ops
