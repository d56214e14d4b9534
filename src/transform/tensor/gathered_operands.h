// Decisions of ops whose operands are gathered first, because the ops cannot work on them as they arrive.
#pragma once

#include "transform/tensor/to_shard.h"

namespace foreflow::transform {

// Returns true if the decision requires a split operand in another layout than it arrives in.
bool refuses_split(const std::vector<Layout>& arriving, const Decision& decision);

// Gathers the activations; fixed weights stay split if the op can work on them, and else arrive whole as well.
Decision with_whole_activations(const FunctionToShard& of, Arrival& arrival);

// Lets all operands that are split arrive whole.
Decision with_everything_whole(const FunctionToShard& of, Arrival& arrival);

}  // namespace foreflow::transform
