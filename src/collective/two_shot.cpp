// All-reduce among all pairs at once (Cowan et al., MSCCLang, 2023): every rank sends each other one its part, which
// adds it, and then the sum of its own part to all. Two latencies, and no more bytes than a ring; the price are many
// small messages at the same time.
//
//   n = 3    step 0, added: 0>1 1  0>2 2  1>0 0  1>2 2  2>0 0  2>1 1      step 1: 0>1 0  0>2 0  1>0 1  1>2 1  ...
#include "collective/layout.h"

namespace foreflow::collective::definitions::two_shot {
namespace {

Plan plan(const Task& task) { return part_by_part(task.group.ranks); }
FlowPlan flows(const Task& task) { return stepwise(plan(task), task); }

}  // namespace

AlgorithmDef row() {
  return {.name            = "two_shot",
          .doc             = "each rank adds up a part that all send it, and sends it to all",
          .source          = "Cowan et al. 2023 (MSCCLang)",
          .kinds           = {Kind::all_reduce},
          .supports        = any_group,
          .plan            = plan,
          .flows           = flows,
          .is_of_libraries = true};
}

}  // namespace foreflow::collective::definitions::two_shot
