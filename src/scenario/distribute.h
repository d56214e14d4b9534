// Programs of all devices, in the forms that only the chain itself needs.
#pragma once

#include "foreflow/scenario/run.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::scenario {

// As try_distribute, where replicas may be written once for all of them (foreflow/transform/replica.h).
struct AlikeReplicas {
  ir::Module module;
  int replicas = 1;  // of which the program is that of one
};
Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform);

// Where the chain would cut a scenario's program into stages. What the backward pass repeats counts so much of its
// time, 0..1. Refuses what try_distribute refuses.
Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated);

}  // namespace foreflow::scenario
