// Which pipeline stage does each op, and in which phase of a microbatch.
#pragma once

#include <set>
#include <vector>

#include "layout_domain.h"

namespace foreflow::transform {

enum class StagePhase : uint8_t {
  anywhere,  // on no device: constants, copied wherever they are used
  forward,
  backward,
  update  // once a step, after all microbatches
};

struct StagedOp {
  StagePhase phase;
  int stage;  // forward, backward
};

// The forward ops are cut where little has to cross, so that the arithmetic of the stages is about as `shares` (one
// positive number a stage). A backward op stays with the forward values that it reads. Throws Error when there are not
// enough places to cut.
std::vector<StagedOp> assign_stages(const ir::Module& module, const ir::Function& function, const interpret::Values<LaidOut>& values,
                                    const std::vector<double>& shares);

}  // namespace foreflow::transform
