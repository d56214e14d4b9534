// Tensor parallelism.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/transform/pieces.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// Distributes the program over the devices D1 .. D`ways`.
//
// 1. Weights are split as sharding.plan says.
// 2. The dimension factors of the ops propagate the splits to all other values (see layout.h).
// 3. A value that an op needs in another layout is converted by a collective.
//
// Throws RefusalError if `ways` does not divide what must be split, if a pattern of the plan matches no weight, or if
// nothing is split at all.
Distributed shard(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding = {});

// The first two of `ways` shards, on D1 and D2. All shards but the first differ only in the part of the tensors that
// they have, so D2 represents them all (ir/replicas.h). Nothing if they differ in more than that, as when constants,
// which are on no device, would have to be cut. Requires: ways > 2.
std::optional<Distributed> two_shards(const ir::Module& module, const ir::OpTable& ops, int ways,
                                      const Sharding& sharding);

// Per op of the entry function, which calls none: whether shard() reduce-scatters a result of it along the sequence.
// Requires: shard() does not refuse the same arguments.
std::vector<bool> reduce_scattered(const ir::Module& module, int ways, const Sharding& sharding);

// A sentence about a program of whose arithmetic each of `ways` shards computes more than half as a whole, instead of
// parts of it: how much, which ops do it, and the reason, where it is known. Empty: there is nothing to say. Requires:
// shard() does not refuse the same arguments.
std::string remark_on_whole_work(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding);

}  // namespace foreflow::transform
