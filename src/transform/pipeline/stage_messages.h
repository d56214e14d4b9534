// The distinct messages of a program whose stages are estimated.
#pragma once

#include <vector>

#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/modelled_program.h"

namespace foreflow::transform {

struct StageMessages {
  std::vector<StageModel::Message> distinct;
  std::vector<int32_t> of_op;  // per op: its number among them; -1: it is no message
  // Likewise, of a sum that may run beside a product, where the op after it is in another task.
  std::vector<int32_t> not_awaited;
};

// `seconds`: per op, of computes, the mean over the devices. The rest as in StageModel.
StageMessages messages_of(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                          const StageModel::Price& price);

}  // namespace foreflow::transform
