// The questions about a split backward pass that StageModel::StageModel has to be told the answers to.
#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/pipelined_program.h"
#include "transform/pipeline/weight_gradients.h"

namespace foreflow::transform {

ir::Module with_split_backward(const ir::Module& module, const ir::OpTable& ops) {
  return separate_gathers(separate_products(module, ops)).module;
}

bool splits_backward(const Pipeline& wanted) {
  return splits_backward(wanted, schedule::plan(*wanted.schedule, wanted.size));
}

}  // namespace foreflow::transform
