// The phase of a training step in which each op of a program runs.
#pragma once

#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

enum class StagePhase : uint8_t {
  anywhere,  // on no device: constants, which are copied to wherever they are used
  forward,
  backward,     // if weight gradients are split off: only what the gradients of activations depend on
  weight_grad,  // backward work on which only gradients of weights depend
  update,       // once a step, after all microbatches
  transfer      // between stages that are sharded in different ways, for every microbatch
};

// The phase of every op, with weight gradients counted as backward, since splitting them off needs the stages
// (pipeline/weight_gradients/weight_gradients.h). Throws RefusalError naming the op if there is a call.
std::vector<StagePhase> phases_of(const ir::Module& module, const ir::Function& function,
                                  const interpret::Values<LaidOut>& values);

// Groups of forward ops between which the program must not be cut. Per forward op: the last op of its group; per other
// op: the op itself. A group consists of
//
//   1. the copies of one op on the devices of a tensor-parallel group, which follow each other, or
//   2. the ops of a segment that is recomputed, with everything between them.
std::vector<int32_t> ends_of_groups(const ir::Function& function, const std::vector<StagePhase>& phases,
                                    const interpret::Values<LaidOut>& values);

}  // namespace foreflow::transform
