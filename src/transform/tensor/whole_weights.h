// Why tensor parallelism splits no weight of a program, in words.
#pragma once

#include <map>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"
#include "transform/tensor/learned_splits.h"

namespace foreflow::transform {

// Throws RefusalError for a plan of `ways` devices that leaves all weights whole. It names, in this order:
//
// 1. the degrees that divide output dimensions of products of weights, where `ways` divides none of them;
// 2. the first of `obstacles`, the ops for which weights stay whole: the place of the op, and what it needs all of;
// 3. the first op that takes a weight, of several dimensions if there is one, but cannot work on a part of it.
[[noreturn]] void refuse_whole_weights(const ir::Module& module, const ir::Function& function,
                                       const interpret::Values<interpret::Mixed>& values, int ways,
                                       const std::map<size_t, Obstacle>& obstacles);

}  // namespace foreflow::transform
