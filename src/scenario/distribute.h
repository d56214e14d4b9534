// Distributed programs in forms that only this module needs.
#pragma once

#include "foreflow/scenario/run.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::scenario {

// As try_distribute, but equal replicas may be represented by the program of a single one
// (foreflow/transform/replica.h).
struct AlikeReplicas {
  ir::Module module;
  int replicas = 1;  // number of replicas that the program represents
  int shards   = 0;  // above 0: the program has the first two of so many shards (transform::two_shards)
  // For each data parameter in order: the parameter of the sequential program of which it is one microbatch's part; -1:
  // it is not split into microbatches.
  std::vector<int32_t> split_data = {};
};
// With `run` above 0, the program runs only that many of the microbatches (transform::Pipeline::run). `two`: shards
// that are alike may be represented by the first two of them.
Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform, int run, bool two);

// The cut into stages that try_distribute would choose. Recomputed ops count with this fraction of their time, 0..1.
// Refuses what try_distribute refuses.
Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated);

}  // namespace foreflow::scenario
