// Finds how many bytes of activations each stage may keep so that the program just fits into memory.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The scenario with `recompute: optimal` resolved: its cut into stages, and the largest limit of each stage with which
// the lowered program fits, to 1/4096 of the range of limits.
//   1. If no recomputation is needed, the cut is the usual one.
//   2. Otherwise stages end between blocks, at the fastest of several cuts: the uniform one, and balanced ones for
//      different amounts of recomputation.
//   3. Instead the strategy has a fixed policy (`activation`, `selective`, `op` or `full`) and no limits, if that fits
//      and is faster.
// Refused if the program does not fit even with full recomputation. Requires: disturbances are resolved.
Expected<Scenario> with_fitted_recompute(const Sequential& sequential, const Scenario& scenario,
                                         const platform::Platform& platform);

}  // namespace foreflow::scenario
