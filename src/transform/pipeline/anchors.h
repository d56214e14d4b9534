// Where each op of the backward pass belongs: the forward op that shares its stage, wherever the stages are cut.
#pragma once

#include <vector>

#include "transform/pipeline/phases.h"

namespace foreflow::transform {

// Per op: the index of a forward op, the last one of its group (`ends`, from ends_of_groups); of a forward op that of
// its own group; -1 for ops of other phases. A gradient op that reads the gradients of others has no later anchor than
// they have, so gradients never travel towards the last stage.
std::vector<int32_t> anchors_of(const ir::Function& function, const std::vector<StagePhase>& phases,
                                const std::vector<int32_t>& ends);

}  // namespace foreflow::transform
