// Plans tensor parallelism: the layout of every value, decided before the program is written.
#pragma once

#include <map>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/sharding.h"
#include "transform/tensor/learned_splits.h"

namespace foreflow::transform {

struct ShardPlan {
  std::vector<Layout> layouts;                   // per value: the layout in which its op computes it
  std::vector<Decision> decisions;               // per op
  std::vector<bool> by_vocabulary;               // per op: written in its vocabulary-parallel form (vocabulary.h)
  int split_weights = 0, split_activations = 0;  // activations: those that are split along the sequence
  std::map<size_t, Obstacle> obstacles   = {};   // ops for which weights stay whole, by their number
  std::map<int32_t, Obstacle> kept_whole = {};   // these weights, by their number, with the ops
};

// Plans `ways`-fold tensor parallelism of a function without calls. `arrives` tells per value whether it comes from
// devices that are sharded in another way: it is then whole or split in one block, never a sum still to be taken.
// Empty: none does.
ShardPlan plan_shards(const ir::Module& module, const ir::Function& function,
                      const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding,
                      const std::vector<bool>& arrives = {});

}  // namespace foreflow::transform
