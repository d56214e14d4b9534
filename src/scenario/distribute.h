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
  int shards   = 0;  // above 0: the program has the first two of this many shards (transform::two_shards)
  // For each data parameter in order: the parameter of the sequential program of which it is one microbatch's part; -1:
  // it is not split into microbatches.
  std::vector<int32_t> split_data = {};
};
// With `run` above 0, the program runs only that many of the microbatches (transform::Pipeline::run). With `two`, the
// first two shards may represent all of them. Programs of a replica are taken from `shared`, and new ones are added to
// it, if it is given.
Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform, int run, bool two,
                                             SharedPrograms* shared = nullptr);

// The work of one replica, before it is cut into stages.
Expected<ir::Module> before_pipeline(const Sequential& sequential, const Scenario& scenario);
// As above, for the first two of `shards` shards, if that is above 0; it becomes 0 if these do not represent all.
Expected<ir::Module> before_pipeline(const Sequential& sequential, const Scenario& scenario, int& shards);
Expected<ReplicaProgram> replica_before_pipeline(const Sequential& sequential, const Scenario& scenario, int shards);

// The same as a program to share: from `shared`, or made and kept there, if it is given.
Expected<ReplicaProgramRef> unpipelined(const Sequential& sequential, const Scenario& scenario, int shards,
                                        SharedPrograms* shared);

// As try_distribute, with programs of a replica from `shared`.
Expected<ir::Module> try_distribute(const Sequential& sequential, const Scenario& scenario,
                                    const platform::Platform& platform, SharedPrograms& shared);

// The number of shards if two of them represent all before the pipeline; 0 if they do not.
//   1. Ranks that share sequences or experts are split from whole groups of shards.
//   2. Stages are balanced by sums over the shards, which are exact to the last bit for powers of two.
int shards_before_pipeline(const Strategy& strategy);

// The pipeline that the scenario asks for; `module` is the work of one replica, which tells how unequal devices share
// it. With `run` above 0, it runs only that many of the microbatches.
transform::Pipeline pipeline_of(const ir::Module& module, const Scenario& scenario, const platform::Platform& platform,
                                int run = 0, int shards = 0);

// True where all devices do the same work in the same time.
bool is_uniform(const platform::Platform& platform);

// The cut into stages that try_distribute would choose. Recomputed ops count with this fraction of their time, 0..1.
// Refuses what try_distribute refuses.
Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated);

}  // namespace foreflow::scenario
