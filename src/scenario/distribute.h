// Distributed programs in forms that only this module needs.
#pragma once

#include "foreflow/scenario/run.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::scenario {

// As try_distribute, but equal replicas may be represented by the program of a single one (transform/replicas.h).
struct AlikeReplicas {
  ir::Module module;
  int replicas = 1;  // number of replicas that the program represents
};
Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform);

// The cut into stages that try_distribute would choose. Recomputed ops count with this fraction of their time, 0..1.
// Refuses what try_distribute refuses.
Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated);

}  // namespace foreflow::scenario
