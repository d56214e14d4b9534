// Where the chain would cut a scenario's program into stages.
#pragma once

#include "foreflow/scenario/run.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::scenario {

// What the backward pass repeats counts so much of its time, 0..1. Throws what `distribute` throws.
transform::Cut cut(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform,
                   double repeated);

}  // namespace foreflow::scenario
