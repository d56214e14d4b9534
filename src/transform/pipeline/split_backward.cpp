// The questions about a split backward pass that StageModel::StageModel has to be told the answers to.
#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/program/pipelined_program.h"
#include "transform/pipeline/weight_gradients/weight_gradients.h"

namespace foreflow::transform {

SplitBackward split_backward(const ir::Module& module, const ir::OpTable& ops) {
  SplitBackward products = separate_products(module, ops);
  SplitBackward split    = separate_gathers(std::move(products.module));
  for (size_t& origin : split.origin) origin = products.origin[origin];
  return split;
}

ir::Module with_split_backward(const ir::Module& module, const ir::OpTable& ops) {
  return split_backward(module, ops).module;
}

bool splits_backward(const Pipeline& wanted) {
  return splits_backward(wanted, schedule::plan(*wanted.schedule, wanted.size));
}

}  // namespace foreflow::transform
