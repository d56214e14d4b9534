// The program of one replica, made or taken from those that scenarios share.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Before it is cut into stages (before_pipeline.h). From `shared`, or made and kept there, if it is given.
Expected<ReplicaProgramRef> unpipelined(const Sequential& sequential, const Scenario& scenario, int shards,
                                        SharedPrograms* shared);

// With tensor and pipeline parallelism, and what is offloaded. With `run` above 0, it runs only that many of the
// microbatches (transform::Pipeline::run); with `shards` above 0, the first two of that many shards may represent all
// of them.
Expected<ReplicaProgramRef> pipelined(const Sequential& sequential, const Scenario& scenario,
                                      const platform::Platform& platform, SharedPrograms* shared, int run = 0,
                                      int shards = 0);

}  // namespace foreflow::scenario
