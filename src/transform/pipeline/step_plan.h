// The plan of a schedule for a program.
#pragma once

#include "foreflow/schedule/plan.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::transform {

// The plan of the schedule that `wanted` names, before weight gradients are delayed; without backward passes where the
// program has none. Throws RefusalError if the schedule does not suit the program.
schedule::Plan plan_of(const ir::Module& module, const Pipeline& wanted);

}  // namespace foreflow::transform
