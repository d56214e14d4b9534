// Advice on a scenario whose prediction shows an avoidable shortage.
#pragma once

#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::cli {

// One sentence each:
//   1. a pipeline with fewer microbatches than devices, although the batch of a replica could be split further;
//   2. a large model in f32 because no data type is stated;
//   3. contexts that share causal attention unevenly;
//   4. ranks of a tensor-parallel group that send the same tokens to experts;
//   5. ZeRO whose gradients stay whole until the last microbatch;
//   6. a program that does not fit into the memory of a device: how much it needs; for training the keys that may lower
//      it and can do more, or for a transformer where there are none those that take more devices; for inference that
//      results are gathered, if it would fit without what messages hold in memory;
//   7. a narrow type of which the devices have no units, so that it is computed at the rate of f32;
//   8. more network cards than GPUs, each of which uses one;
//   9. ranks that share experts and are on more servers than in another order;
//   10. samples that may be counted along a weight, as an imported model has no weights and its inputs disagree;
//   11. tensor-parallel groups on several servers that would fit on one;
//   12. tensor parallelism that leaves most of the arithmetic whole, and a mask whose numbers are not known;
//   13. gradients that are summed one by one, or round a ring, and so small that this is mostly latency.
// Empty for several jobs on one platform.
std::vector<std::string> advice(const scenario::Scenario& scenario, const scenario::Outcome& outcome);

}  // namespace foreflow::cli
