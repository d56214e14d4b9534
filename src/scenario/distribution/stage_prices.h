// The prices by which the stages of a pipeline are balanced: those of the scenario's cost model.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Prices for balancing stages:
//   1. computes on the first device of the scenario;
//   2. collectives at the bandwidth between the first ranks of their group;
//   3. messages between stages at the bandwidth, and with the latency, of the slowest route from a stage to the next;
//      where they travel beside the computes (`overlap_sends`), no stage is busy with them;
//   4. adding up the gradients of microbatches as an addition on that device.
// `scenario` and `platform` must outlive the result. Throws Error as `places` does.
transform::StagePrices stage_prices(const Scenario& scenario, const platform::Platform& platform);

// The time that a byte takes between the first two devices of a tensor-parallel group: the one fact by which the prices
// of ops differ between placements. 0 without tensor parallelism.
double seconds_per_byte_in_group(const Scenario& scenario, const platform::Platform& platform);

// Returns true if devices add the gradients of each microbatch to those of the microbatches before it. The part that
// ZeRO 2 leaves of them, when several replicas have summed them, is taken for nothing.
bool accumulates(const Scenario& scenario);

// As Pipeline::speeds, on unequal devices: by the ops of the entry function, of which the first device of the scenario
// has the prices of computes. When several devices hold a stage, the slowest counts. Empty when all devices are equal,
// and where the strategy says how stages share the work.
std::vector<double> speeds_of_stages(const ir::Module& module, const Scenario& scenario,
                                     const platform::Platform& platform);

// True where all devices do the same work in the same time.
bool is_uniform(const platform::Platform& platform);

}  // namespace foreflow::scenario
