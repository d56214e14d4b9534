// The times of the tasks of each pipeline stage by the given prices. Schedules are planned with them.
#pragma once

#include "foreflow/schedule/plan.h"
#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

struct StageGroup {
  int device;   // of the schedule
  int devices;  // of the group
};

// Times in seconds, per stage, of one of `parts` parts of the batch on one device of a group. The hop is the slowest
// transfer between neighbouring stages in either direction: the sum of its messages, divided by the number of devices
// of the group; of a Reshard it is StagePrices::reshard. Weight gradients must be marked in `staged`. `groups`: per
// stage, where stages are sharded in different ways; empty: every stage has all devices of the program.
schedule::Costs stage_costs(const ir::Function& function, const std::vector<StagedOp>& staged,
                            const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts, int stages,
                            const std::vector<StageGroup>& groups);

}  // namespace foreflow::transform
