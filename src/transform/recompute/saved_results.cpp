#include "transform/recompute/saved_results.h"

#include <algorithm>

#include "foreflow/interpret/mixed.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Per value: whether it depends on weights, and on nothing else but constants.
std::vector<bool> values_of_weights(const ir::Function& function, const std::vector<bool>& constant) {
  std::vector<bool> of_weights(function.values.size());
  for (size_t i = 0; i < function.parameters.size(); ++i)
    of_weights[i] = function.parameters[i] == ir::ParameterRole::weight;
  for (const ir::Op& op : function.ops) {
    const auto inputs  = function.inputs(op);
    const bool own     = std::all_of(inputs.begin(), inputs.end(), [&](ValueId id) {
      return id == ValueId::none || constant[ir::index(id)] || of_weights[ir::index(id)];
    });
    const bool depends = own && !constant[op.first_result];
    std::fill_n(of_weights.begin() + op.first_result, op.result_count, depends);
  }
  return of_weights;
}

class SavedResults {
 public:
  explicit SavedResults(const ir::Module& module)
      : function_(module.entry()),
        meaning_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        of_weights_(values_of_weights(function_, constant_values(function_))) {}

  std::vector<bool> run(const std::vector<Segment>& layers, const std::vector<bool>& reduced) const {
    std::vector<bool> saved(function_.ops.size());
    for (const Segment& layer : layers) {
      int products = 0;
      for (const size_t o : layer) {
        const bool every_second = multiplies_by_matrix(o) && ++products % 2 == 1;
        saved[o]                = every_second || is_attention(function_.ops[o]) || (!reduced.empty() && reduced[o]);
      }
    }
    return saved;
  }

 private:
  static bool is_attention(const ir::Op& op) { return !op.is_call() && op.def->kernels == ir::Kernels::attention; }

  // MatMul, and Gemm, which adds a bias.
  bool multiplies_by_matrix(size_t o) const {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || op.operand_count < 2) return false;
    if (op.def->product == ir::Product::none && op.def->kernels != ir::Kernels::product) return false;
    const auto inputs  = function_.inputs(op);
    const auto is_mine = [&](ValueId id) { return id != ValueId::none && of_weights_[ir::index(id)]; };
    return is_mine(inputs[1]) && !is_mine(inputs[0]) &&
           meaning_.entry().values[ir::index(inputs[1])].type.dims.size() == 2;
  }

  const ir::Function& function_;
  const interpret::MixedInterpretation meaning_;
  const std::vector<bool> of_weights_;
};

}  // namespace

std::vector<bool> saved_results(const ir::Module& module, const std::vector<Segment>& layers,
                                const std::vector<bool>& reduced) {
  return SavedResults(module).run(layers, reduced);
}

}  // namespace foreflow::transform
