// Distributed programs in forms that only this module needs.
#pragma once

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// As try_distribute, but equal replicas may be represented by the program of a single one
// (foreflow/transform/replica.h).
struct AlikeReplicas {
  ir::Module module;
  int replicas = 1;                        // number of replicas that the program represents
  ir::WrittenDevices written;              // the devices that it has (transform::two_shards, two_ranks)
  std::vector<SplitData> split_data = {};  // for each data parameter in order
};
// With `run` above 0, the program runs only that many of the microbatches (transform::Pipeline::run). With `two`, the
// first two shards may represent all of them, and the first two ranks that share experts all of those. Programs of a
// replica are taken from `shared`, and new ones are added to it, if it is given.
Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform, int run, bool two,
                                             SharedPrograms* shared = nullptr);

// As try_distribute, with programs of a replica from `shared`.
Expected<ir::Module> try_distribute(const Sequential& sequential, const Scenario& scenario,
                                    const platform::Platform& platform, SharedPrograms& shared);

}  // namespace foreflow::scenario
