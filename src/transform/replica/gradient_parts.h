// Finds where a program computes its gradients, microbatch by microbatch.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// The gradients of `weights`, ascending by `at`. With `each_microbatch`, each term that a call adds to a running sum
// over the microbatches, Add(parameter, term), is a part by itself.
std::vector<GradientPart> gradient_parts(const ir::Module& module, const LayoutInterpretation& layouts,
                                         const std::vector<TrainedWeight>& weights, int ways, bool each_microbatch);

// The copies of one op on the devices of a tensor-parallel group follow each other. end_of_group and begin_of_group
// return the last and the first copy of the group that op `o` belongs to.
size_t end_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o);
size_t begin_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o);

}  // namespace foreflow::transform
