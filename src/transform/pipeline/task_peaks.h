// The memory that tasks of a pipeline need for the values of their own microbatch, without its program: for bounds.
#pragma once

#include <functional>
#include <vector>

#include "foreflow/ir/module.h"
#include "transform/pipeline/stages.h"

namespace foreflow::transform {

struct TaskPeaks {
  Bytes forward;     // with what the task leaves for the backward pass
  Bytes backward;    // with what it finds there
  Bytes input_grad;  // the same of a backward pass without the gradients of weights
};

// Per stage: a lower bound of the most that values need at the end of an op. A value is there from the op that makes
// it, or from the start of a task that receives it, to the last op of the task that reads it; or to the end of the
// task, if a later task of the same stage reads it. `root_of` gives the value whose memory a value shares, `bytes_of`
// that memory: 0 for values that are not activations or gradients of them.
std::vector<TaskPeaks> task_peaks(const ir::Function& function, const std::vector<StagedOp>& staged, size_t stages,
                                  const std::function<size_t(size_t value)>& root_of,
                                  const std::function<Bytes(size_t value)>& bytes_of);

}  // namespace foreflow::transform
