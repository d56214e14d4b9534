// Tensor parallelism.
#pragma once

#include "foreflow/transform/pieces.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// Tensor parallelism over `ways` devices D1..: weights are split as sharding.plan says, the splits are carried on by
// the ops' dimension factors, and what does not fit is summed, gathered or scattered. Throws RefusalError where `ways`
// does not divide what must be split, where a pattern of the plan matches no weight, and where nothing is split at all.
Distributed shard(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding = {});

}  // namespace foreflow::transform
