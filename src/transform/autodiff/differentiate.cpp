#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/unfuse.h"
#include "transform/autodiff/derivation.h"
#include "transform/autodiff/trained.h"
#include "transform/pass_arguments.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Parameters that are trained are weights, whatever they were.
ir::Module with_weights(const ir::Module& module, const std::vector<bool>& trained) {
  ir::Module result = module;
  for (size_t i = 0; i < trained.size(); ++i) {
    if (trained[i]) result.functions.back().parameters[i] = ir::ParameterRole::weight;
  }
  return result;
}

// Data that only the loss itself reads, beside its prediction.
bool is_target(const ir::Function& function, ValueId parameter) {
  for (const ir::Op& op : function.ops) {
    const auto inputs   = function.inputs(op);
    const bool is_loss  = op.result_count > 0 && function.output(op, 0) == function.results[0];
    const auto examined = is_loss ? inputs.first(std::min<size_t>(inputs.size(), 1)) : inputs;
    if (std::find(examined.begin(), examined.end(), parameter) != examined.end()) return false;
  }
  return true;
}

}  // namespace

ir::Module differentiate(const ir::Module& original, const ir::OpTable& ops, Inputs inputs,
                         const std::vector<std::string>& weights) {
  const std::vector<bool> trained = trained_parameters(original, weights);
  const ir::Module module         = with_weights(unfuse(original, ops), trained);
  const ir::Function& function    = module.entry();
  const std::string where         = module.source + ": @" + function.name;
  if (function.results.empty()) throw Error(where, "returns nothing; result 0 must be the loss");
  const Interpreted program{module, interpret::interpret_mixed(module, module.functions.size() - 1)};
  const size_t number  = program.interpretation.instances.size() - 1;
  const ir::Type& loss = program.instance(number).values[ir::index(function.results[0])].type;
  if (!is_floating(loss))
    throw Error(where, "result 0 is " + to_string(loss) + "; the loss, a floating-point tensor, would be right");

  Demand demand{trained, std::vector<Upstream>(function.results.size(), Upstream::none)};
  demand.results[0] = Upstream::one;
  for (size_t i = 0; inputs == Inputs::floating && i < trained.size(); ++i) {
    const bool data      = function.parameters[i] == ir::ParameterRole::data;
    demand.parameters[i] = trained[i] || (data && is_floating(program.instance(number).values[i].type) &&
                                          !is_target(function, static_cast<ValueId>(i)));
  }
  Derivatives derivatives(program, ops);
  Derivation derivation(derivatives, number, demand);
  derivation.run();
  ir::FunctionBuilder& builder = derivation.builder();
  std::vector<ValueId> results, of_weights;
  for (const ValueId id : function.results) results.push_back(derivation.value(id));
  for (size_t i = 0; i < trained.size(); ++i) {
    if (!demand.parameters[i]) continue;
    ValueId gradient = derivation.gradient(static_cast<ValueId>(i));
    const auto own   = derivation.value(static_cast<ValueId>(i));
    if (gradient == ValueId::none && !trained[i]) continue;
    if (gradient == ValueId::none) gradient = builder.op("Sub", {own, own});  // the loss does not depend on it
    (trained[i] ? of_weights : results).push_back(gradient);
  }
  results.insert(results.end(), of_weights.begin(), of_weights.end());
  ir::Function entry = builder.finish(std::move(results));
  ir::Module result{module.source, std::move(derivatives).take()};
  result.functions.push_back(std::move(entry));
  ir::verify(result, ir::Names::unique);
  return result;
}

namespace definitions::differentiate {
PassDef row() {
  return {"differentiate",
          "append the gradients of result 0 with respect to the weights, or those that weights=A|B* names "
          "(inputs=floating: and to the data); with loss and output as in add_loss, of that loss",
          {"inputs", "weights", "loss", "output", "axis"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const bool data = word_argument(arguments, "inputs", "none") == "floating";
            return transform::differentiate(loss_arguments(module, ops, arguments, "loss"), ops,
                                            data ? Inputs::floating : Inputs::none,
                                            names_argument(arguments, "weights"));
          }};
}
}  // namespace definitions::differentiate

}  // namespace foreflow::transform
