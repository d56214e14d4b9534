// The program of one replica, made or taken from those that scenarios share.
#pragma once

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Before it is cut into stages, with the devices `written` if these represent all (before_pipeline.h). From `shared`,
// or made and kept there, if it is given.
Expected<ReplicaProgramRef> unpipelined(const Sequential& sequential, const Scenario& scenario,
                                        const ir::WrittenDevices& written, SharedPrograms* shared);

// With tensor and pipeline parallelism, and what is offloaded. With `run` above 0, it runs only that many of the
// microbatches (transform::Pipeline::run); the devices `written` may represent all.
Expected<ReplicaProgramRef> pipelined(const Sequential& sequential, const Scenario& scenario,
                                      const platform::Platform& platform, SharedPrograms* shared, int run = 0,
                                      const ir::WrittenDevices& written = {});

}  // namespace foreflow::scenario
