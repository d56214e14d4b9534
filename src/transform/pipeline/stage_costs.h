// What the tasks of each pipeline stage take, as far as prices tell: what a schedule is planned with.
#pragma once

#include "foreflow/schedule/plan.h"
#include "transform/pipeline/stages.h"

namespace foreflow::transform {

// Of one of `parts` parts of the batch on one device of a group, in the seconds of `prices`, stage by stage. A hop is
// the slowest handing on from a stage to the next, forward or backward: its messages one after another, those that are
// split over a group from device to device. `staged` has its weight gradients marked.
schedule::Costs stage_costs(const ir::Function& function, const std::vector<StagedOp>& staged,
                            const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts, int stages);

}  // namespace foreflow::transform
