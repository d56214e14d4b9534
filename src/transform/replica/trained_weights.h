// Finds the weights of a program that optimizers update with gradients summed over the ways of an axis.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// These weights of the entry. Optimizers of any other form are ignored: one that updates a weight which is not a
// parameter, or one whose states are read by other ops.
std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values);

}  // namespace foreflow::transform
