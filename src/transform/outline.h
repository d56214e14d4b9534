// The forward and the backward of each pipeline stage as functions of their own.
#pragma once

#include "foreflow/ir/builder.h"
#include "stages.h"

namespace foreflow::transform {

// What happens to the values that are summed over microbatches (gradients): the first microbatch begins the sums, each
// later one adds to them as soon as it has its part, so that two parts are never kept side by side.
enum class Sums : uint8_t { begin, add };

// One function of the pipeline, in terms of the values of the program that it was cut from.
struct Outlined {
  ir::Function function;
  std::vector<ir::ValueId> parameters;  // what it needs: weights, data, values of other functions
  std::vector<ir::ValueId> sums;        // values summed here; with Sums::add the sums so far are further parameters
  std::vector<ir::ValueId> results;     // what others need of it, sums included
};

// The ops of `phase` on `stage`, for one of `microbatches` parts of the batch. `summed` per value.
Outlined outline(const ir::Function& function, const std::vector<StagedOp>& staged, const interpret::Values<LaidOut>& values, StagePhase phase, int stage,
                 int microbatches, const std::vector<bool>& summed, Sums sums, const ir::OpTable& ops);

}  // namespace foreflow::transform
