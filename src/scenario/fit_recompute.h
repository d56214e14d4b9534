// How much of the activations may stay on each stage's devices, so that the memory is just enough.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// True for `recompute: optimal` whose limits nobody has found yet.
bool needs_fit(const Scenario& scenario);

// With the largest limits for which the devices of every stage have room, as the lowered program says, to 1/4096 of what there
// is to choose; the smallest where nothing has. Everything else stays.
Scenario with_fitted_recompute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform);

}  // namespace foreflow::scenario
