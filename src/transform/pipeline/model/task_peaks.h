// Lower bounds of the memory that a task of a pipeline needs for the values of its own microbatch, found in the program
// before it is pipelined.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"
#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

// The peaks of the tasks of one stage.
struct TaskPeaks {
  Bytes forward;     // with the activations that the task leaves for the backward pass
  Bytes backward;    // with the activations that the forward pass left
  Bytes input_grad;  // likewise, of a backward pass that computes no gradients of weights
};

// Per stage: the largest memory of all values that are alive at the end of an op. A value is alive
//   1. from the op that makes it, or from the start of the task if the task receives it or finds it;
//   2. to the last op of the task that reads it, or to the end of the task if a later task of the stage reads it.
// Per value: `roots` has the value whose memory it shares, and `bytes` of a root the size of that memory, which is 0
// for values that are neither activations nor gradients of activations.
std::vector<TaskPeaks> task_peaks(const ir::Function& function, const std::vector<StagedOp>& staged, size_t stages,
                                  const std::vector<size_t>& roots, const std::vector<Bytes>& bytes);

}  // namespace foreflow::transform
