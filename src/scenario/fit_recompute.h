// How much of the activations may stay on each stage's devices, so that the memory is just enough.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// With stages and the largest limits for which their devices have room, as the lowered program says, to 1/4096 of what
// there is to choose. Where that takes recomputation, stages end between blocks, at the fastest of several cuts (of
// balanced ones for more or less of it, and the uniform ones). Everything else stays. Refuses where there is no room.
// The names of the scenario's disturbances are known.
Expected<Scenario> with_fitted_recompute(const Sequential& sequential, const Scenario& scenario,
                                         const platform::Platform& platform);

}  // namespace foreflow::scenario
