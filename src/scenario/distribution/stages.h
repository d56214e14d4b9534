// How a scenario cuts the work of one replica into stages.
#pragma once

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::scenario {

// The pipeline that the scenario asks for; `module` is the work of one replica of `sequential`, which tells how unequal
// devices share it. With `run` above 0, it runs only that many of the microbatches. With `shards` above 0, `module` has
// the first two of that many shards.
transform::Pipeline pipeline_of(const ir::Module& module, const Sequential& sequential, const Scenario& scenario,
                                const platform::Platform& platform, int run = 0,
                                const ir::WrittenDevices& written = {});

// The cut into stages that try_distribute would choose. Recomputed ops count with this fraction of their time, 0..1.
// Refuses what try_distribute refuses. With `written`, the cut of the program that has these devices where they
// represent all (before_pipeline).
Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated,
                                 const ir::WrittenDevices& written = {});

}  // namespace foreflow::scenario
