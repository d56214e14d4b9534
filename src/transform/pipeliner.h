// The main function of a pipeline: calls of what each stage does, in the order of a plan, with sends between them.
#pragma once

#include "foreflow/schedule/plan.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::transform {

// Some backwards are an input and a weight gradient, each a task.
bool splits_backward(const schedule::Plan& plan);

// `module` as the plan needs it (see separate_products where that splits backwards), cut as `wanted` says.
Distributed run_schedule(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted, const schedule::Plan& plan);

}  // namespace foreflow::transform
