#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Float constants of rank 1 or more that ops take as weights.
std::vector<bool> learned_constants(const ir::Function& function, const interpret::Values<interpret::Mixed>& values) {
  std::vector<bool> learned(function.values.size()), constant(function.values.size());
  for (const ir::Op& op : function.ops) {
    if (!op.is_call() && op.def->role == ir::Role::constant) constant[op.first_result] = true;
    const auto inputs        = function.inputs(op);
    const bool takes_weights = !op.is_call() && op.def->takes_weights;
    for (size_t i = 1; takes_weights && i < inputs.size(); ++i) {
      if (inputs[i] == ValueId::none || !constant[ir::index(inputs[i])]) continue;
      const ir::Type& type = values[ir::index(inputs[i])].type;
      learned[ir::index(inputs[i])] =
          type.is_tensor() && type.resolved() && ir::is_float(type.dtype) && !type.dims.empty();
    }
  }
  return learned;
}

}  // namespace

ir::Module lift_constants(const ir::Module& module, const ir::OpTable& ops) {
  const ir::Function& function    = module.entry();
  const auto interpretation       = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values              = interpretation.entry().values;
  const std::vector<bool> learned = learned_constants(function, values);
  ir::FunctionBuilder builder(function.name, ops);
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  for (size_t i = 0; i < learned.size(); ++i) {
    if (!learned[i]) continue;
    const std::string& name = function.values[i].name;
    map.set(static_cast<ValueId>(i),
            builder.parameter(name.empty() ? "weight" : name, ir::ParameterRole::weight, values[i].type));
  }
  for (const ir::Op& op : function.ops) {
    if (op.result_count == 1 && learned[op.first_result]) continue;
    copy_op(builder, function, op, map);
  }
  std::vector<ValueId> results;
  for (const ValueId id : function.results) results.push_back(map(id));
  ir::Module result       = module;
  result.functions.back() = builder.finish(std::move(results));
  ir::verify(result);
  return result;
}

namespace definitions::lift_constants {
PassDef row() {
  return {"lift_constants",
          "make weights of the constants that products, convolutions and normalizations take",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::lift_constants(module, ops);
          }};
}
}  // namespace definitions::lift_constants

}  // namespace foreflow::transform
