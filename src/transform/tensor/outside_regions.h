// Ops outside of tensor-parallel regions, where no weight splits what arrives: the regions of sequence parallelism.
#pragma once

#include "transform/tensor/to_shard.h"

namespace foreflow::transform {

// The decision outside of tensor-parallel regions. With sequence parallelism, sums are reduce-scattered along the
// sequence, and indices into embedding tables split along it, if the op can work on the parts. The rows that parts of
// an embedding table give are summed before anything is added to them, as frameworks do: else the whole residual
// stream, which begins with them, would be partial sums, and be kept and sent twice.
//
// `looked_up`: per value, whether it is such rows.
Decision outside_regions(const FunctionToShard& of, const Arrival& arrival, const std::vector<bool>& looked_up);

// The layout in which another group of devices hands on a value that it makes in `made`: whole, or in parts that are
// neither sums nor in blocks.
Layout handed_on(const FunctionToShard& of, ir::ValueId id, const Layout& made);

}  // namespace foreflow::transform
