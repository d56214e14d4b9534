// The weights of a program that optimizers update with gradients summed over the ways of an axis.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// Of the entry. Left out are ops whose operands are something else: a weight that is no parameter, states that others
// read.
std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values);

// Per value of a function: how many operands it is.
std::vector<int> count_uses(const ir::Function& function);
// Per value: the op that makes it; SIZE_MAX for a parameter.
std::vector<size_t> makers_by_value(const ir::Function& function);

}  // namespace foreflow::transform
