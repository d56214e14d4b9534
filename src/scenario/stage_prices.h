// What the stages of a pipeline are balanced by: the scenario's own prices.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// On the first of the scenario's devices; messages at the bandwidth between the first ranks of a group, and from one
// stage to the next; hops with the latency of the slowest way between stages. `scenario` and `platform` outlive it.
// Throws what `places` throws.
transform::StagePrices stage_prices(const Scenario& scenario, const platform::Platform& platform);

// How much of the work each stage should do where devices are unequal: as much as its device is fast at the ops of the
// entry; of several devices that have the stage, as the slowest. Empty where all devices are alike.
std::vector<double> shares_by_speed(const ir::Module& module, const Scenario& scenario,
                                    const platform::Platform& platform);

}  // namespace foreflow::scenario
