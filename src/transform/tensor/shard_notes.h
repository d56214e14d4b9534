// What there is to say about a tensor-parallel plan.
#pragma once

#include "foreflow/ir/module.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// For the plan megatron: the blocks that are recognised, and the weights that the plan auto would treat otherwise;
// nothing for others.
std::vector<std::string> shard_notes(const ir::Module& module, const ir::OpTable& ops, int ways,
                                     const Sharding& sharding);

}  // namespace foreflow::transform
