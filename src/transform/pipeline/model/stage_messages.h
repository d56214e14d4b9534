// The distinct messages of a program whose stages are estimated.
#pragma once

#include <vector>

#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/model/modelled_program.h"

namespace foreflow::transform {

struct StageMessages {
  std::vector<StageModel::Message> distinct;
  std::vector<int32_t> of_op;  // per op: its index in `distinct`; -1: it is no message
  // Per op: the index that holds instead where the op after it belongs to another task, so that nothing in its own task
  // waits for it. Only for sums that may run beside a product; -1 for other ops.
  std::vector<int32_t> not_awaited;
};

// `seconds`: per op, of computes, the mean over the devices. The rest as in StageModel.
StageMessages messages_of(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                          const StageModel::Price& price);

}  // namespace foreflow::transform
