// In which phase of a step each op of a program runs.
#pragma once

#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

enum class StagePhase : uint8_t {
  anywhere,  // on no device: constants, copied wherever they are used
  forward,
  backward,     // where the backward is split: the gradients that the stage before waits for, and what they need
  weight_grad,  // backward work that gradients of weights alone depend on
  update        // once a step, after all microbatches
};

// Of every op. Marks no weight_grad: that depends on the stages. Throws Error naming a call.
std::vector<StagePhase> phases_of(const ir::Module& module, const ir::Function& function,
                                  const interpret::Values<LaidOut>& values);

// Per forward op the last one of its group, of other ops themselves: the copies of one op on the devices of a
// tensor-parallel group follow each other, and a cut between them would tear the group apart; so are the ops of a
// segment of recomputation, and what stands between them.
std::vector<int32_t> ends_of_groups(const ir::Function& function, const std::vector<StagePhase>& phases,
                                    const interpret::Values<LaidOut>& values);

}  // namespace foreflow::transform
