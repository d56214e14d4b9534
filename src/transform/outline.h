// The forward and the backward of each pipeline stage as functions of their own.
#pragma once

#include "foreflow/ir/builder.h"
#include "stages.h"

namespace foreflow::transform {

// One function of the pipeline, in terms of the values of the program that it was cut from.
struct Outlined {
  ir::Function function;
  std::vector<ir::ValueId> parameters;  // what it needs: weights, data, values of other functions
  std::vector<ir::ValueId> results;     // what others need of it
};

// The ops of `phase` on `stage`, for one of `microbatches` parts of the batch.
Outlined outline(const ir::Function& function, const std::vector<StagedOp>& staged, const std::vector<LaidOut>& values, StagePhase phase, int stage,
                 int microbatches, const ir::OpTable& ops);

}  // namespace foreflow::transform
