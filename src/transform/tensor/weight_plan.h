// The dimensions along which a plan splits the weights of a program.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// Per parameter the dimension that must be split, if any.
using SplitDims = std::vector<std::optional<int32_t>>;

// Per parameter: whether it is a weight of the model. Optimizer states are not; they have the layout of their weight.
std::vector<bool> model_weights(const ir::Function& function);

// The dimensions that sharding.plan splits over `ways`, of 2 or more.
//
//   patterns   The first pattern that matches a weight decides. Throws RefusalError at plan.where if a pattern matches
//              no weight (naming the nearest names), if a weight lacks the dimension, or if `ways` does not divide it.
//   megatron   The weights of the recognised blocks (transformer.h), and of the LM head if the vocabulary is split.
//              Throws RefusalError if there are no such blocks.
SplitDims weight_splits(const ir::Module& module, const ir::Function& function,
                        const interpret::Values<interpret::Mixed>& values, const Sharding& sharding, int ways);

}  // namespace foreflow::transform
