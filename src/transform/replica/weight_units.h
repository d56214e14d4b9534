// Units of weights that travel together because the model repeats them: FSDP's wrapped blocks.
#pragma once

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

// Per weight the number of its unit. On each device, the weights in the order of their first use are compared by type,
// and each repetition of the tuple that repeats over most of them is a unit, such as the weights of a layer; those
// before the first and behind the last are one each. All are one where nothing repeats.
std::vector<size_t> units_by_block(const ir::Function& entry, const interpret::Values<LaidOut>& values,
                                   const std::vector<TrainedWeight>& weights);

// The same of one device, of kinds of weights instead of weights: {7, 8, 1, 2, 1, 2, 1, 2, 9} -> {0, 0, 1, 1, 2, 2, 3,
// 3, 4}.
std::vector<size_t> units_of_kinds(const std::vector<size_t>& kinds);

}  // namespace foreflow::transform
