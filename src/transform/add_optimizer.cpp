#include "copy.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "pass_arguments.h"
#include "trained.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

struct Update {
  ir::FunctionBuilder& builder;
  std::vector<ValueId> weights, gradients;
  std::vector<ValueId> moments;  // adam: m and v of every weight in turn
};

std::vector<ValueId> sgd(Update& update) {
  std::vector<ValueId> operands = update.weights;
  operands.insert(operands.end(), update.gradients.begin(), update.gradients.end());
  return update.builder.emit("SGDOptimizer", operands, {}, update.weights.size());
}

std::vector<ValueId> adam(Update& update) {
  std::vector<ValueId> results;
  for (size_t i = 0; i < update.weights.size(); ++i) {
    const auto updated = update.builder.emit("AdamOptimizer", {update.weights[i], update.gradients[i], update.moments[2 * i], update.moments[2 * i + 1]}, {}, 3);
    results.insert(results.end(), updated.begin(), updated.end());
  }
  return results;
}

struct Row {
  std::string_view name;
  int moments;  // state per weight
  std::vector<ValueId> (*update)(Update&);
};
constexpr Row kRows[] = {{"adam", 2, adam}, {"sgd", 0, sgd}};

const Row& row_of(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row;
  }
  throw Error("optimizer", "unknown optimizer \"" + std::string(name) + "\"; use adam or sgd");
}

}  // namespace

ir::Module add_optimizer(const ir::Module& module, const ir::OpTable& ops, std::string_view name,
                         const std::vector<std::string>& weights) {
  const Row& row               = row_of(name);
  const ir::Function& function = module.entry();
  const std::vector<bool> trained = trained_parameters(module, weights);
  ir::FunctionBuilder builder(function.name, ops);
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  Update update{builder, {}, {}, {}};
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (!trained[i]) continue;
    update.weights.push_back(map(static_cast<ValueId>(i)));
    for (int m = 0; m < row.moments; ++m) {
      update.moments.push_back(builder.parameter(function.values[i].name + (m == 0 ? ".m" : ".v"), ir::ParameterRole::weight, function.values[i].annotation));
    }
  }
  if (update.weights.empty() || function.results.size() < update.weights.size() + 1) {
    throw Error(module.source + ": @" + function.name, "has no gradients to optimize with; differentiate it first");
  }
  for (const ir::Op& op : function.ops) copy_op(builder, function, op, map);
  const size_t kept = function.results.size() - update.weights.size();
  std::vector<ValueId> results;
  for (size_t i = 0; i < function.results.size(); ++i) (i < kept ? results : update.gradients).push_back(map(function.results[i]));
  const std::vector<ValueId> updated = row.update(update);
  results.insert(results.end(), updated.begin(), updated.end());
  ir::Module result;
  result.source    = module.source;
  result.functions = {module.functions.begin(), module.functions.end() - 1};
  result.functions.push_back(builder.finish(std::move(results)));
  ir::verify(result);
  return result;
}

namespace definitions {
PassDef add_optimizer() {
  return {"add_optimizer",
          "turn the gradients that differentiate appended into updated weights; name=sgd or adam; weights as for "
          "differentiate",
          {"name", "weights"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            return transform::add_optimizer(module, ops, word_argument(arguments, "name", "sgd"),
                                            names_argument(arguments, "weights"));
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
