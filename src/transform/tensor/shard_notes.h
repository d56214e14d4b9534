// Messages for the user about a tensor-parallel plan.
#pragma once

#include "foreflow/ir/module.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// For the plan `megatron`: the recognised blocks, and the weights that the plan `auto` would split differently. Empty
// for other plans.
std::vector<std::string> shard_notes(const ir::Module& module, const ir::OpTable& ops, int ways,
                                     const Sharding& sharding);

}  // namespace foreflow::transform
