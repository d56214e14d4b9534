// Which values tensor parallelism splits, decided before anything is written.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

struct ShardPlan {
  std::vector<Layout> layouts;      // per value, as it is made
  std::vector<Decision> decisions;  // per op
  int split_weights = 0;
};

// Plans `ways`-fold tensor parallelism of a function without calls.
ShardPlan plan_shards(const ir::Module& module, const ir::Function& function, const interpret::Values<interpret::Mixed>& values, int ways);

}  // namespace foreflow::transform
