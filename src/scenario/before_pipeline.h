// The first passes of a strategy: the work of one replica, over shards and sequences, before it is cut into stages.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The work of one replica. With `shards` above 0, the program has the first two of that many shards if these represent
// all of them; `shards` of the result says whether they do. Refused at the key whose pass cannot be applied.
Expected<ReplicaProgram> before_pipeline(const Sequential& sequential, const Scenario& scenario, int shards = 0);

// The number of shards if two of them represent all before the pipeline; 0 if they do not.
//   1. Ranks that share sequences or experts are split from whole groups of shards.
//   2. Stages are balanced by sums over the shards, which are exact to the last bit for powers of two.
int shards_before_pipeline(const Strategy& strategy);

}  // namespace foreflow::scenario
