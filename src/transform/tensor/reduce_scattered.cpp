// Finds the results that sequence parallelism reduce-scatters.
#include "foreflow/ir/module.h"
#include "foreflow/transform/tensor.h"
#include "transform/tensor/shard_plan.h"

namespace foreflow::transform {

std::vector<bool> reduce_scattered(const ir::Module& module, int ways, const Sharding& sharding) {
  const ir::Function& function = module.entry();
  std::vector<bool> of_op(function.ops.size());
  if (ways == 1 || !sharding.sequence) return of_op;
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const ShardPlan plan      = plan_shards(module, function, interpretation.entry().values, ways, sharding);
  std::vector<bool> wanted_in_parts(function.values.size());
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const auto inputs = function.inputs(function.ops[o]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != ir::ValueId::none && plan.decisions[o].inputs[i].is_split())
        wanted_in_parts[ir::index(inputs[i])] = true;
    }
  }
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op = function.ops[o];
    for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value)
      of_op[o] = of_op[o] || (plan.layouts[value].is_partial() && wanted_in_parts[value]);
  }
  return of_op;
}

}  // namespace foreflow::transform
