// The weights of a program that optimizers update with gradients summed over the ways of an axis.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// Of the entry. Left out are ops whose operands are something else: a weight that is no parameter, states that others
// read.
std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values);

}  // namespace foreflow::transform
