// Which pipeline stage does each op, and in which phase of a microbatch.
#pragma once

#include <vector>

#include "foreflow/schedule/plan.h"
#include "transform/pipeline/cuts.h"

namespace foreflow::transform {

struct StagedOp {
  StagePhase phase;
  int stage;  // of phases between anywhere and update: virtual, 0..
};

// Cuts the forward ops as `wanted` says into the virtual stages of `plan`; a backward op stays with the forward values
// that it reads. Throws Error when there are not enough places to cut.
std::vector<StagedOp> assign_stages(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                    const Pipeline& wanted, const schedule::Plan& plan);

Cut cut_of(const ir::Function& function, const std::vector<StagedOp>& staged, int stages);

}  // namespace foreflow::transform
