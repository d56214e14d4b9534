#include <algorithm>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/pipeline.h"
#include "transform/blocks/forward_pass.h"
#include "transform/pipeline/cuts/cuts.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

// The flop of an op; 0 where a shape is not known.
double arithmetic(const ir::Function& function, const ir::Op& op, const interpret::Values<interpret::Mixed>& values) {
  const OpTypes types(function, op, values);
  const auto countable = [](const ir::Type& type) { return type.resolved() || type == ir::Type(); };
  if (!std::all_of(types.inputs.begin(), types.inputs.end(), countable) ||
      !std::all_of(types.outputs.begin(), types.outputs.end(), countable))
    return 0;
  return op.def->work(types.call(), types.outputs).flops.value();
}

}  // namespace

int count_layers(const ir::Module& module) {
  const ir::Function& function = module.entry();
  if (std::any_of(function.ops.begin(), function.ops.end(), [](const ir::Op& op) { return op.is_call(); })) return 0;
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  std::vector<CutPlace> places;
  double flops         = 0;
  const size_t forward = forward_ops(function);
  for (size_t o = 0; o < forward; ++o) {
    flops += arithmetic(function, function.ops[o], interpretation.entry().values);
    CutPlace& place = places.emplace_back();
    place.op        = static_cast<int32_t>(o);
    place.flops     = flops;
  }
  return static_cast<int>(layer_ends(module, places, 0).ends.size());
}

}  // namespace foreflow::transform
