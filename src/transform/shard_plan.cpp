#include "shard_plan.h"

#include <map>
#include <set>

#include "caches.h"
#include "op_types.h"

namespace foreflow::transform {
namespace {

constexpr int32_t kNoOrigin = -1;

// Greedy in program order. A weight whose split leads to a dimension that must be whole is kept whole in the next
// round; one that is cut by a Split op is split in as many blocks.
class Planner {
 public:
  Planner(const ir::Module& module, const ir::Function& function, const interpret::Values<interpret::Mixed>& values,
          int ways)
      : module_(module), function_(function), values_(values), caches_(caches_of(function)), ways_(ways) {}

  ShardPlan run() {
    for (;;) {
      const size_t kept = whole_.size(), blocked = blocks_.size();
      round();
      if (whole_.size() == kept && blocks_.size() == blocked) break;
    }
    for (size_t i = 0; i < function_.parameters.size(); ++i) plan_.split_weights += plan_.layouts[i].is_split() ? 1 : 0;
    return std::move(plan_);
  }

 private:
  void round() {
    stale_ = false;
    plan_  = {std::vector<Layout>(function_.values.size()), {}, 0};
    origin_.assign(function_.values.size(), kNoOrigin);
    undecided_.assign(function_.values.size(), false);
    for (size_t i = 0; i < function_.parameters.size(); ++i)
      undecided_[i] = function_.parameters[i] == ir::ParameterRole::weight || caches_[i];
    for (const ir::Op& op : function_.ops) visit(op);
  }

  void visit(const ir::Op& op) {
    const OpTypes types(function_, op, values_);
    const ir::OpCall call = types.call();
    const auto inputs     = function_.inputs(op);
    std::vector<Layout> arriving;
    int32_t origin = kNoOrigin;
    for (const ir::ValueId id : inputs) {
      arriving.push_back(id == ir::ValueId::none ? Layout::whole() : plan_.layouts[ir::index(id)]);
      if (arriving.back().is_split() && origin == kNoOrigin) origin = origin_[ir::index(id)];
    }
    if (origin == kNoOrigin) origin = start(call, inputs, arriving);
    Decision decision = decide(call, arriving, ways_);
    if (refuses_split(arriving, decision)) decision = mend(op, call, arriving, origin);
    settle(inputs, decision, origin);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      plan_.layouts[op.first_result + i] = decision.outputs[i];
      if (decision.outputs[i].is_split()) origin_[op.first_result + i] = origin;
    }
    plan_.decisions.push_back(std::move(decision));
  }

  // Splits a weight that nothing has touched, if this op is a product with it.
  int32_t start(const ir::OpCall& call, std::span<const ir::ValueId> inputs, std::vector<Layout>& arriving) const {
    if (ways_ == 1) return kNoOrigin;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || !undecided_[ir::index(inputs[i])]) continue;
      if (function_.parameters[ir::index(inputs[i])] == ir::ParameterRole::data) continue;
      const auto weight = static_cast<int32_t>(inputs[i]);
      const auto blocks = blocks_.find(weight);
      Layout layout;
      if (whole_.contains(weight) ||
          !starts_split(call, i, ways_, blocks == blocks_.end() ? 1 : blocks->second, layout))
        continue;
      arriving[i] = layout;
      return weight;
    }
    return kNoOrigin;
  }

  static bool refuses_split(const std::vector<Layout>& arriving, const Decision& decision) {
    for (size_t i = 0; i < arriving.size(); ++i) {
      if (arriving[i].is_split() && arriving[i] != decision.inputs[i]) return true;
    }
    return false;
  }

  // The op cannot go on with this split. Either it can with more blocks, or the weight that began it stays whole.
  Decision mend(const ir::Op& op, const ir::OpCall& call, std::vector<Layout>& arriving, int32_t origin) {
    const ir::Factors factors = call.def.factors(call);
    if (factors.blocked != 0 && !blocks_.contains(origin)) {
      for (Layout& layout : arriving) layout.blocks *= layout.is_split() ? factors.blocks : 1;
      Decision decision = decide(call, arriving, ways_);
      if (!refuses_split(arriving, decision)) {
        blocks_[origin] = factors.blocks;
        stale_          = true;
        return decision;
      }
    }
    if (factors.rule == ir::Factors::Rule::linear_view && !stale_) refuse_view(op, call);
    if (!stale_) whole_.insert(origin);
    for (Layout& layout : arriving) layout = layout.is_split() ? Layout::whole() : layout;
    return decide(call, arriving, ways_);
  }

  [[noreturn]] void refuse_view(const ir::Op& op, const ir::OpCall& call) const {
    const std::vector<ir::Type> outputs = call.def.infer(call);
    throw Error(ir::describe(module_, function_, op),
                "tensor parallelism of " + std::to_string(ways_) + " does not divide the dimensions of " +
                    ir::to_string(outputs[0].dims) + "; use a divisor of the number of heads");
  }

  // A weight or a cache lives as its first use wants it.
  void settle(std::span<const ir::ValueId> inputs, const Decision& decision, int32_t origin) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none) continue;
      const size_t value = ir::index(inputs[i]);
      if (!undecided_[value]) continue;
      undecided_[value]    = false;
      plan_.layouts[value] = decision.inputs[i];
      if (decision.inputs[i].is_split()) origin_[value] = origin;
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const std::vector<bool> caches_;  // per parameter
  const int ways_;
  ShardPlan plan_;
  std::vector<int32_t> origin_;        // per split value: the weight whose split began it
  std::vector<bool> undecided_;        // per value: a weight or a cache without a use so far
  std::set<int32_t> whole_;            // weights that stay whole
  std::map<int32_t, int64_t> blocks_;  // weights split in blocks
  bool stale_ = false;  // this round found blocks: what was decided before is no reason to give up a split
};

}  // namespace

ShardPlan plan_shards(const ir::Module& module, const ir::Function& function,
                      const interpret::Values<interpret::Mixed>& values, int ways) {
  return Planner(module, function, values, ways).run();
}

}  // namespace foreflow::transform
