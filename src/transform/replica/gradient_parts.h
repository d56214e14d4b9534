// The gradients of a program as the microbatches make them.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// In the order of `at`. With `each_microbatch`, what calls add to a sum over the microbatches (Add(parameter, part)) is
// a part of its own.
std::vector<GradientPart> gradient_parts(const ir::Module& module, const LayoutInterpretation& layouts,
                                         const std::vector<TrainedWeight>& weights, bool each_microbatch);

// The copies of one op on the devices of a tensor-parallel group follow each other. The last and the first of those
// that op `o` of a function belongs to.
size_t end_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o);
size_t begin_of_group(const ir::Function& function, const interpret::Values<LaidOut>& values, size_t o);

}  // namespace foreflow::transform
