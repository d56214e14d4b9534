// The first passes of a strategy: the work of one replica, over shards and sequences, before it is cut into stages.
#pragma once

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The work of one replica. The program has the first two of `written.shards` shards, and of `written.ranks` ranks that
// share experts, where these represent all; `written` of the result says where they do. Refused at the key whose pass
// cannot be applied.
Expected<ReplicaProgram> before_pipeline(const Sequential& sequential, const Scenario& scenario,
                                         const ir::WrittenDevices& written = {});

// The number of shards if two of them may represent all before the pipeline; 0 if they do not. Stages are balanced by
// sums over the shards, which are exact to the last bit for powers of two.
int shards_before_pipeline(const Strategy& strategy);
// The same for ranks that share experts and no sequences.
int ranks_before_pipeline(const Strategy& strategy);
// Both, for a program that is cut into stages afterwards. Offloading works on all devices of a group.
ir::WrittenDevices alike_before_pipeline(const Strategy& strategy);

}  // namespace foreflow::scenario
