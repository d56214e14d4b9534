#include <algorithm>
#include <map>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/recompute.h"
#include "transform/blocks/forward_pass.h"
#include "transform/pipeline/weight_gradients/weight_gradients.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Finds the gathers of rows of x in the backward pass that both gradients of weights and recomputed ops read.
class SharedGathers {
 public:
  explicit SharedGathers(const ir::Module& module)
      : module_(module), function_(module.entry()), readers_(function_), is_shared_(function_.ops.size()) {
    bool any = false;
    for (size_t o = forward_ops(function_); o < function_.ops.size(); ++o) {
      is_shared_[o] = gathers(function_.ops[o]) && is_read_for_both(function_.ops[o]);
      any           = any || is_shared_[o];
    }
    if (any) keep_those_of_rows();
  }

  bool any() const { return std::find(is_shared_.begin(), is_shared_.end(), true) != is_shared_.end(); }
  bool has(int32_t op) const { return op >= 0 && nth(is_shared_, op); }

  // Returns true if an op reads x, its first operand, for gradients of weights alone: it is one, or a matrix of these
  // rows for some.
  bool is_for_weights(const ir::Op& op) const {
    if (is_gradient_of_weight(op)) return function_.inputs(op)[0] != function_.inputs(op)[1];
    if (op.is_call() || !op.def->aliases_operand || op.result_count != 1) return false;
    const auto products = readers_[op.first_result];
    return !products.empty() && std::all_of(products.begin(), products.end(), [&](int32_t product) {
      return is_x_of(static_cast<ValueId>(op.first_result), nth(function_.ops, product));
    });
  }

 private:
  static bool gathers(const ir::Op& op) {
    return !op.is_call() && op.def->communication == ir::Communication::all_gather;
  }

  bool is_x_of(ValueId x, const ir::Op& product) const {
    return is_gradient_of_weight(product) && function_.inputs(product)[0] == x && function_.inputs(product)[1] != x;
  }

  bool is_read_for_both(const ir::Op& gather) const {
    bool for_weights = false, repeated = false;
    for (size_t value = gather.first_result; value < gather.first_result + gather.result_count; ++value) {
      for (const int32_t reader : readers_[value]) {
        const ir::Op& op = nth(function_.ops, reader);
        const bool is_x  = is_for_weights(op) && ir::index(function_.inputs(op)[0]) == value;
        for_weights      = for_weights || is_x;
        repeated         = repeated || (!is_x && op.attributes->find(kRecompute) != nullptr);
      }
    }
    return for_weights && repeated;
  }

  // Rows lie along all dimensions but the last.
  void keep_those_of_rows() {
    const auto meaning = interpret::interpret_mixed(module_, module_.functions.size() - 1);
    for (size_t o = 0; o < is_shared_.size(); ++o) {
      if (!is_shared_[o]) continue;
      const ir::Op& gather = function_.ops[o];
      const auto rank      = static_cast<int64_t>(meaning.entry().values[gather.first_result].type.dims.size());
      const int64_t axis   = gather.attributes->int_or("axis", 0);
      is_shared_[o]        = (axis < 0 ? axis + rank : axis) < rank - 1;
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const ir::Readers readers_;
  std::vector<bool> is_shared_;  // per op
};

class GatherSeparator {
 public:
  GatherSeparator(const ir::Function& function, const SharedGathers& shared)
      : function_(function),
        shared_(shared),
        makers_(ir::makers_of(function)),
        builder_(function.name, no_ops()),
        map_(function.values.size()) {}

  SplitBackward run(const ir::Module& module) && {
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size(); ++o) copy(o);
    SplitBackward result{module, {}};
    result.module.functions.back() = builder_.finish(copies(function_.results, map_));
    result.origin                  = std::move(origin_);
    return result;
  }

 private:
  void copy(size_t o) {
    const ir::Op& op = function_.ops[o];
    const ValueId x  = op.operand_count == 0 ? ValueId::none : function_.inputs(op)[0];
    const bool again = x != ValueId::none && shared_.has(makers_[ir::index(x)]) && shared_.is_for_weights(op);
    const ValueId is = map_(x);
    if (again) map_.set(x, gathered_again(x, o));
    copy_op(builder_, function_, op, map_);
    origin_.push_back(o);
    if (again) map_.set(x, is);
  }

  // x, gathered again before its first reader `o`.
  ValueId gathered_again(ValueId x, size_t o) {
    const int32_t gather       = makers_[ir::index(x)];
    const ir::Op& op           = nth(function_.ops, gather);
    const auto [found, is_new] = first_.try_emplace(gather, 0);
    if (is_new) {
      found->second = ir::index(
          builder_.append(op.def, op.callee, op.attributes, copies(function_.inputs(op), map_), op.result_count));
      for (uint32_t i = 0; i < op.result_count; ++i)
        builder_.annotate(static_cast<ValueId>(found->second + i), function_.value(function_.output(op, i)).annotation);
      origin_.push_back(o);
    }
    return static_cast<ValueId>(found->second + (ir::index(x) - op.first_result));
  }

  const ir::Function& function_;
  const SharedGathers& shared_;
  const std::vector<int32_t> makers_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::map<int32_t, size_t> first_;  // by gather: the first result of its repetition
  std::vector<size_t> origin_;
};

}  // namespace

SplitBackward separate_gathers(ir::Module module) {
  const SharedGathers shared(module);
  if (shared.any()) return GatherSeparator(module.entry(), shared).run(module);
  std::vector<size_t> same(module.entry().ops.size());
  std::iota(same.begin(), same.end(), size_t{0});
  return {std::move(module), std::move(same)};
}

}  // namespace foreflow::transform
