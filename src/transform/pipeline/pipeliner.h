// The main function of a pipeline: calls of what each stage does, in the order of a plan, with sends between them.
#pragma once

#include "foreflow/schedule/plan.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::transform {

// Some backwards are an input and a weight gradient, each a task: in the plan, or when these are delayed as `wanted`
// says.
bool splits_backward(const Pipeline& wanted, const schedule::Plan& plan);

// `module` as the plan needs it (see separate_products where that splits backwards), cut as `wanted` says. `plan` is
// that of the schedule, with no weight gradient delayed yet: how late they are best depends on the stages.
Distributed run_schedule(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                         const schedule::Plan& plan);

}  // namespace foreflow::transform
