#include <numeric>

#include "foreflow/interpret/mixed.h"
#include "transform/pipeline/weight_gradients/weight_gradients.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// dx[..,k] = dy[..,j] w[k,j]' and dw[k,j] = x[i,k]' dy[i,j], where all leading dimensions are the rows i. Shapes leave
// the batch open, so that they hold for any part of it. The first product keeps the dimensions of dy, so that
// `overlap_tensor` can multiply the rows of a sequence as they are gathered.
class Separator {
 public:
  Separator(const ir::Module& module, const ir::OpTable& ops)
      : function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(interpretation_.entry().values),
        builder_(function_.name, ops),
        map_(function_.values.size()) {}

  SplitBackward run(const ir::Module& module) && {
    copy_parameters(builder_, function_, map_);
    std::vector<size_t> origin;
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (is_joint(op)) {
        separate(op);
      } else {
        copy_op(builder_, function_, op, map_);
      }
      origin.resize(builder_.function().ops.size(), o);
    }
    SplitBackward result{module, std::move(origin)};
    result.module.functions.back() = builder_.finish(copies(function_.results, map_));
    return result;
  }

  static bool is_joint(const ir::Op& op) { return !op.is_call() && is_product_gradient(op); }

 private:
  void separate(const ir::Op& op) {
    const auto inputs = function_.inputs(op);
    const ValueId dx  = builder_.op(kRowsGradient, {map_(inputs[2]), map_(inputs[1])}, attributes_of_rows_gradient(op));
    const ValueId dw =
        builder_.op(kWeightGradient, {rows(inputs[0]), rows(inputs[2])}, attributes_of_weight_gradient(op));
    keep(function_.output(op, 0), dx);
    keep(function_.output(op, 1), dw);
  }

  ValueId rows(ValueId id) {
    const ir::Dims& dims = values_[ir::index(id)].type.dims;
    if (dims.size() == 2) return map_(id);
    return builder_.op("Reshape", {map_(id)}, {{"shape", std::vector<int64_t>{-1, dims.back()}}});
  }

  void keep(ValueId old, ValueId made) {
    map_.set(old, made);
    builder_.set_name(made, function_.value(old).name);
  }

  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
};

}  // namespace

SplitBackward separate_products(const ir::Module& module, const ir::OpTable& ops) {
  const auto& all = module.entry().ops;
  if (std::any_of(all.begin(), all.end(), Separator::is_joint)) return Separator(module, ops).run(module);
  std::vector<size_t> same(all.size());
  std::iota(same.begin(), same.end(), size_t{0});
  return {module, std::move(same)};
}

}  // namespace foreflow::transform
