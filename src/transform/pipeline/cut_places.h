// The places between forward ops where a program may be cut into stages, and what is on either side.
#pragma once

#include "foreflow/transform/pipeline.h"
#include "transform/pipeline/phases.h"

namespace foreflow::transform {

// A cut behind forward op `op`. Sums are over the forward ops until there and the backward ops anchored at them.
struct CutPlace {
  int32_t op;
  double flops;     // of the forward ops, on the whole batch
  double seconds;   // of forward and backward of a microbatch, on one device of a group
  Bytes weights;    // weights with their optimizer state and gradients, on one device
  Bytes held;       // what a microbatch keeps for its backward, on one device
  int64_t tensors;  // that cross the cut
  Bytes crossing;   // their bytes for a microbatch, from one device to another
};

// In order, behind the groups of copies that end at `ends`; the last one is behind the last forward op. A microbatch is
// one of `parts` of the batch, and of its replicas' shares if they are still to be made.
std::vector<CutPlace> cut_places(const ir::Function& function, const std::vector<StagePhase>& phases,
                                 const std::vector<int32_t>& ends, const std::vector<int32_t>& anchors,
                                 const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts);

}  // namespace foreflow::transform
