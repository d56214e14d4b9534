// Lower bound of the memory that the devices of a pipeline need, with the model cut as the pipeline cuts it.
#pragma once

#include "foreflow/scenario/stage_demand.h"
#include "foreflow/schedule/plan.h"

namespace foreflow::search {

// The peak of the device that needs most, at the ends of its forward tasks and within its backward tasks.
Bytes stage_memory(const scenario::Strategy& strategy, const scenario::StageDemand& demand, const schedule::Plan& plan);

}  // namespace foreflow::search
