// Remedies for an op that cannot work on the split that arrives.
#pragma once

#include "transform/tensor/learned_splits.h"
#include "transform/tensor/shown_heads.h"

namespace foreflow::transform {

// Tries, in this order:
//
// 1. to split the origin in blocks;
// 2. to split fixed weights in the blocks in which the leader is split;
// 3. if the origin is a fixed weight, to gather the activations;
// 4. to keep the origin whole.
//
// `backward`: the op is behind the gradient of the loss. Throws RefusalError for a view that no split can fit.
Decision mended(const FunctionToShard& of, Arrival& arrival, bool backward, LearnedSplits& learned, HeadCheck& heads);

}  // namespace foreflow::transform
