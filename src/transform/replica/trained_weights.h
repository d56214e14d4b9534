// Finds the weights of a program that optimizers update with gradients summed over copies of them.
#pragma once

#include <optional>

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// These weights of the entry: those that `ways` replicas hold, or ranks inside of each of them. `values` are laid out
// over the replicas. Optimizers of any other form are ignored: one that updates a weight which is not a parameter, or
// one whose states are read by other ops.
std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values,
                                           int ways);

// The module in which every op that updates many weights updates either only such weights or only others. An op that
// updates both becomes two: gradients that every replica has as a whole (of a table of frequencies that all samples
// share) would otherwise keep the whole op from being sharded. Nothing if there is no such op.
std::optional<ir::Module> with_separate_updates(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                                int ways);

}  // namespace foreflow::transform
