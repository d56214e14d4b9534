// Writes the main function of a pipeline: the calls of the stages' functions, in the order of a schedule's plan, with
// sends between them.
#pragma once

#include "foreflow/schedule/plan.h"
#include "foreflow/transform/pipeline.h"
#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

// Cuts `module` as `wanted` says and runs it by `plan`, the plan of the schedule before weight gradients are delayed
// (the best delay depends on the stages). If backward passes are split, `module` must come from with_split_backward.
//
// `decided`: the stages, where they are sharded in different ways; null: they are found here.
Distributed run_schedule(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                         const schedule::Plan& plan, const DecidedStages* decided = nullptr);

}  // namespace foreflow::transform
