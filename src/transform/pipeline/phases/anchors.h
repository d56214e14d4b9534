// Ties each op of the backward pass to a forward op, its anchor: both belong to the same stage, wherever the program is
// cut into stages.
#pragma once

#include <vector>

#include "transform/pipeline/phases/phases.h"

namespace foreflow::transform {

// Per op:
//
//   backward   the index of its anchor, which is the last op of a group (`ends`, from ends_of_groups)
//   forward    the last op of its own group
//   other      -1
//
// An op that reads gradients is anchored no later than the ops that computed them, so no gradient is ever sent towards
// the last stage.
std::vector<int32_t> anchors_of(const ir::Function& function, const std::vector<StagePhase>& phases,
                                const std::vector<int32_t>& ends);

}  // namespace foreflow::transform
