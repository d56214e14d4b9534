// What a plan of name patterns says about the weights of a program.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// Per parameter the dimension that must be split, if any.
using SplitDims = std::vector<std::optional<int32_t>>;

// Whether each parameter is a weight that the model itself uses: not what an optimizer keeps, which lies as its weight
// does.
std::vector<bool> model_weights(const ir::Function& function);

// What the plan splits, for `ways` above 1. Of patterns, the first that matches a weight decides; throws Error at
// plan.where when one matches no weight (naming the nearest names), and when a weight has no such dimension or `ways`
// does not divide it. megatron: the blocks that are recognised (transformer.h), and the LM head where the vocabulary is
// split; Error when there are none.
SplitDims weight_splits(const ir::Module& module, const ir::Function& function,
                        const interpret::Values<interpret::Mixed>& values, const Sharding& sharding, int ways);

}  // namespace foreflow::transform
