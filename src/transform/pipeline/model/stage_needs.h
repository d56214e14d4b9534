// The needs of the stages into which a program is cut.
#pragma once

#include <vector>

#include "transform/pipeline/cuts/cuts.h"
#include "transform/pipeline/model/program_needs.h"

namespace foreflow::transform {

// The needs of each stage. `split_backward` as in StageModel.
std::vector<StageNeed> needs_of_stages(const ModelledProgram& program, const ProgramNeeds& needs, const Cuts& cuts,
                                       bool split_backward);

}  // namespace foreflow::transform
