#include <algorithm>
#include <map>

#include "foreflow/base/text.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/optimizers.h"
#include "foreflow/transform/passes.h"
#include "transform/autodiff/trained.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// One weight with what is updated beside it: states, and last the master weight where there is one.
struct Trained {
  ValueId weight, gradient;
  std::vector<ValueId> states;
  bool narrow;
};

const OptimizerDef& optimizer_row(std::string_view name) {
  if (const OptimizerDef* row = optimizers().find(name)) return *row;
  throw Error("optimizer", "unknown optimizer \"" + std::string(name) + "\"; use " + list_or(optimizer_names()));
}

bool is_narrow(ir::DType dtype) { return ir::bits_of(dtype) < ir::bits_of(ir::DType::f32); }

// One op for all weights where the optimizer has such an op and nothing is kept of any of them; else one op a weight.
std::vector<ValueId> update(ir::FunctionBuilder& builder, const OptimizerDef& row,
                            const std::vector<Trained>& trained) {
  const bool stateless =
      std::all_of(trained.begin(), trained.end(), [](const Trained& one) { return one.states.empty(); });
  if (stateless && !row.joint_op.empty()) {
    std::vector<ValueId> operands;
    for (const Trained& one : trained) operands.push_back(one.weight);
    for (const Trained& one : trained) operands.push_back(one.gradient);
    return builder.emit(row.joint_op, operands, row.attributes, trained.size());
  }
  std::vector<ValueId> results;
  for (const Trained& one : trained) {
    std::vector<ValueId> operands{one.weight, one.gradient};
    operands.insert(operands.end(), one.states.begin(), one.states.end());
    const auto updated = builder.emit(row.op, operands, row.attributes, 1 + one.states.size());
    results.insert(results.end(), updated.begin(), updated.end());
  }
  return results;
}

bool is_f32(const PassArguments& arguments, const std::string& key) {
  const std::string word = word_argument(arguments, key, "none");
  if (word != "none" && word != "f32")
    throw Error("add_optimizer", key + " is \"" + word + "\"; use f32, or leave it out");
  return word == "f32";
}

// The states of a weight as parameters.
std::vector<ValueId> add_states(ir::FunctionBuilder& builder, const OptimizerDef& row, const ir::Value& weight,
                                MixedPrecision precision) {
  ir::Type type   = *weight.annotation;
  const bool kept = precision.master_weights && is_narrow(type.dtype);
  if (kept) type.dtype = ir::DType::f32;
  const auto shared = std::make_shared<const ir::Type>(type);
  std::vector<ValueId> states;
  const auto add = [&](std::string_view suffix) {
    states.push_back(builder.parameter(weight.name + std::string(suffix), ir::ParameterRole::weight, shared));
  };
  for (const std::string_view suffix : row.states) add(suffix);
  if (kept) add(".master");
  return states;
}

}  // namespace

std::vector<std::string> optimizer_names() { return optimizers().names(); }

ir::Module add_optimizer(const ir::Module& module, const ir::OpTable& ops, std::string_view name,
                         MixedPrecision precision, const std::vector<std::string>& weights) {
  const OptimizerDef& row          = optimizer_row(name);
  const ir::Function& function     = module.entry();
  const std::vector<bool> selected = trained_parameters(module, weights);
  ir::FunctionBuilder builder(function.name, ops);
  builder.reserve(function.ops.size(), function.values.size(), function.operands.size());
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  std::vector<Trained> trained;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (!selected[i]) continue;
    const ir::Value& weight = function.values[i];
    trained.push_back({map(static_cast<ValueId>(i)), ValueId::none, add_states(builder, row, weight, precision),
                       is_narrow(weight.annotation->dtype)});
  }
  if (trained.empty()) {
    throw Error(module.source + ": @" + function.name,
                "holds no trainable weights, which are floating-point initializers; name those of its parameters that "
                "are to be trained in \"weights\"");
  }
  if (function.results.size() < trained.size() + 1) {
    throw Error(module.source + ": @" + function.name, "has no gradients to optimize with; differentiate it first");
  }
  const size_t kept = function.results.size() - trained.size();
  std::multimap<size_t, size_t> narrow;  // the value of a gradient, and its place in `trained`
  for (size_t i = 0; precision.float_gradients && i < trained.size(); ++i) {
    if (trained[i].narrow) narrow.emplace(ir::index(function.results[kept + i]), i);
  }
  for (const ir::Op& op : function.ops) {
    copy_op(builder, function, op, map);
    // Conversions follow at once, so that the short gradients of different weights do not live together.
    for (uint32_t result = 0; result < op.result_count; ++result) {
      const auto [first, last] = narrow.equal_range(op.first_result + result);
      for (auto of = first; of != last; ++of) {
        trained[of->second].gradient =
            builder.op("Cast", {map(function.output(op, result))}, {{"to", std::string(ir::name(ir::DType::f32))}});
      }
    }
  }
  std::vector<ValueId> results;
  for (size_t i = 0; i < kept; ++i) results.push_back(map(function.results[i]));
  for (size_t i = 0; i < trained.size(); ++i) {
    if (trained[i].gradient == ValueId::none) trained[i].gradient = map(function.results[kept + i]);
  }
  const std::vector<ValueId> updated = update(builder, row, trained);
  results.insert(results.end(), updated.begin(), updated.end());
  ir::Module result;
  result.source    = module.source;
  result.functions = {module.functions.begin(), module.functions.end() - 1};
  result.functions.push_back(builder.finish(std::move(results)));
  ir::verify(result, ir::Names::unique);
  return result;
}

namespace definitions::add_optimizer {
PassDef row() {
  // A row's doc is a view; the names that it lists are those of the table.
  static const std::string kDoc =
      "turn the gradients that differentiate appended into updated weights; name=" + list_or(optimizer_names()) +
      "; mixed precision: master_weights=f32, gradients=f32; weights as for differentiate";
  return {"add_optimizer",
          kDoc,
          {"name", "master_weights", "gradients", "weights"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const MixedPrecision precision{.master_weights  = is_f32(arguments, "master_weights"),
                                           .float_gradients = is_f32(arguments, "gradients")};
            return transform::add_optimizer(module, ops, word_argument(arguments, "name", "sgd"), precision,
                                            names_argument(arguments, "weights"));
          }};
}
}  // namespace definitions::add_optimizer

}  // namespace foreflow::transform
