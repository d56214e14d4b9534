#include "transform/tensor/shard_plan.h"

#include "foreflow/base/nth.h"
#include "transform/rewrite/op_types.h"
#include "transform/tensor/gathered_operands.h"
#include "transform/tensor/learned_splits.h"
#include "transform/tensor/open_weights.h"
#include "transform/tensor/outside_regions.h"
#include "transform/tensor/shown_heads.h"
#include "transform/tensor/to_shard.h"
#include "transform/tensor/unfit_splits.h"

namespace foreflow::transform {
namespace {

// One round over a program: decides op by op, greedily in program order.
class ShardRound {
 public:
  // `arrives` as in plan_shards.
  ShardRound(const FunctionToShard& of, const std::vector<bool>& arrives, LearnedSplits& learned, HeadCheck& heads)
      : of_(of),
        function_(of.function),
        arrives_(arrives),
        learned_(learned),
        heads_(heads),
        open_(of),
        plan_{std::vector<Layout>(function_.values.size()), {}, {}, 0, 0, {}, {}},
        origin_(function_.values.size(), kNoOrigin),
        looked_up_(function_.values.size()) {}

  ShardPlan run() && {
    for (size_t i = 0; i < function_.parameters.size(); ++i) add_parameter(i);
    for (const ir::Op& op : function_.ops) {
      backward_ = backward_ || op.def->role == ir::Role::loss_gradient;
      visit(op);
    }
    for (size_t i = 0; i < function_.parameters.size(); ++i) plan_.split_weights += plan_.layouts[i].is_split() ? 1 : 0;
    for (const int32_t origin : origin_) plan_.split_activations += origin == kSequenceOrigin ? 1 : 0;
    return std::move(plan_);
  }

 private:
  void add_parameter(size_t i) {
    const auto number  = static_cast<int32_t>(i);
    const auto learned = learned_.dim_of(number);
    const auto dim     = learned ? learned : of_.fixed[i];
    open_.add(i, of_.is_open(i) && !dim);
    if (!dim) return;
    plan_.layouts[i] = Layout::split(*dim, learned_.blocks_of(number));
    origin_[i]       = number;
  }

  void visit(const ir::Op& op) {
    const OpTypes types(function_, op, of_.values);
    const ir::OpCall call = types.call();
    Arrival arrival{.op = op, .call = call, .inputs = function_.inputs(op)};
    for (const ir::ValueId id : arrival.inputs)
      arrival.layouts.push_back(id == ir::ValueId::none ? Layout::whole() : plan_.layouts[ir::index(id)]);
    find_leader(arrival);
    auto by_vocabulary = of_.vocabulary.decide(function_, op, call, arrival.layouts);
    if (by_vocabulary && arrival.origin == kNoOrigin)
      arrival.origin = static_cast<int32_t>(*of_.vocabulary.tables().begin());
    plan_.by_vocabulary.push_back(by_vocabulary.has_value());
    const bool rows = by_vocabulary && call.def.vocabulary.kind == ir::VocabularyForm::Kind::lookup;
    accept(arrival, by_vocabulary ? *std::move(by_vocabulary) : decided(arrival));
    if (rows) looked_up_[op.first_result] = true;
  }

  void find_leader(Arrival& arrival) const {
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (!arrival.layouts[i].is_split() || is_along_sequence(arrival, i)) continue;
      const bool better = arrival.leader < 0 || (of_.is_parameter(nth(arrival.inputs, arrival.leader)) &&
                                                 !of_.is_parameter(arrival.inputs[i]));
      if (!better) continue;
      arrival.leader = static_cast<int32_t>(i);
      arrival.origin = origin_[ir::index(arrival.inputs[i])];
    }
  }

  bool is_along_sequence(const Arrival& arrival, size_t i) const {
    return arrival.layouts[i].is_split() && origin_[ir::index(arrival.inputs[i])] == kSequenceOrigin;
  }

  Decision decided(Arrival& arrival) {
    if (arrival.origin == kNoOrigin) start(arrival);
    if (arrival.origin == kNoOrigin) return outside_regions(of_, arrival, looked_up_);
    // At the beginning of a tensor-parallel region, values that are split along the sequence are gathered.
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (is_along_sequence(arrival, i)) arrival.layouts[i] = Layout::whole();
    }
    Decision decision   = decide(arrival.call, arrival.layouts, of_.ways);
    const ir::Role role = arrival.call.def.role;
    if (refuses_split(arrival.layouts, decision)) {
      // The op that updates a weight gathers its gradient if the weight is whole. A vector that layers share, such as a
      // bias that is whole in a norm and cut in a projection, then leaves the matrices of these layers split.
      if (role != ir::Role::optimizer) decision = mended(of_, arrival, backward_, learned_, heads_);
    } else if (role == ir::Role::view) {
      heads_.accept(arrival);
    }
    return cuts_weight(arrival, decision) ? with_whole_activations(of_, arrival) : decision;
  }

  // Begins a split at an open weight, if this op is a product with it.
  void start(Arrival& arrival) {
    if (of_.ways == 1) return;
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (arrival.inputs[i] == ir::ValueId::none || !open_.is_open(arrival.inputs[i])) continue;
      const int32_t weight = open_.stored(arrival.inputs[i]).weight;
      if (nth(of_.caches, weight) || learned_.is_whole(weight)) continue;
      const std::optional<Layout> layout = starts_split(arrival.call, i, of_.ways, learned_.blocks_of(weight));
      if (!layout) continue;
      if (!of_.is_parameter(arrival.inputs[i])) split_stored(arrival.inputs[i], *layout);
      arrival.layouts[i] = *layout;
      arrival.leader     = static_cast<int32_t>(i);
      arrival.origin     = weight;
      return;
    }
  }

  // From the next round on, splits a weight in the way in which its copy is needed.
  void split_stored(ir::ValueId copy, const Layout& wanted) {
    const auto [weight, transposed] = open_.stored(copy);
    learned_.split_along(weight, transposed ? 1 - wanted.dim : wanted.dim);
  }

  // Returns true if the decision would slice a weight that the plan leaves whole.
  bool cuts_weight(const Arrival& arrival, const Decision& decision) const {
    if (of_.automatic || arrival.call.def.role == ir::Role::optimizer) return false;
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (arrival.inputs[i] == ir::ValueId::none || !of_.is_parameter(arrival.inputs[i])) continue;
      const bool matrix = of_.model_weights[ir::index(arrival.inputs[i])] && arrival.call.inputs[i].dims.size() > 1;
      if (matrix && arrival.layouts[i].is_whole() && decision.inputs[i].is_split()) return true;
    }
    return false;
  }

  // Records a decision.
  void accept(const Arrival& arrival, Decision decision) {
    if (!open_.follow_copy(arrival)) {
      for (size_t i = 0; i < arrival.inputs.size(); ++i) {
        if (arrival.inputs[i] != ir::ValueId::none) use(arrival.inputs[i], decision.inputs[i], arrival.origin);
      }
    }
    for (uint32_t i = 0; i < arrival.op.result_count; ++i) {
      const size_t value   = arrival.op.first_result + i;
      plan_.layouts[value] = decision.outputs[i];
      if (decision.outputs[i].is_split())
        origin_[value] = arrival.origin == kNoOrigin ? kSequenceOrigin : arrival.origin;
      if (!arrives_.empty() && arrives_[value]) receive(function_.output(arrival.op, i));
    }
    plan_.decisions.push_back(std::move(decision));
  }

  // An open weight takes the layout that its first use by tensor parallelism needs; uses outside of it slice the weight
  // instead.
  void use(ir::ValueId id, const Layout& needed, int32_t origin) {
    if (!open_.use(id) || origin == kNoOrigin || !needed.is_split()) return;
    if (of_.is_parameter(id)) {
      plan_.layouts[ir::index(id)] = needed;
      origin_[ir::index(id)]       = origin;
    } else if (!learned_.is_whole(open_.stored(id).weight)) {
      split_stored(id, needed);
    }
  }

  // Another group of devices makes this value, and hands it on as a whole or in parts.
  void receive(ir::ValueId id) {
    Layout& layout      = plan_.layouts[ir::index(id)];
    const Layout handed = handed_on(of_, id, layout);
    if (handed == layout) return;
    layout                 = handed;
    origin_[ir::index(id)] = handed.is_split() ? kSequenceOrigin : kNoOrigin;
  }

  const FunctionToShard& of_;
  const ir::Function& function_;
  const std::vector<bool>& arrives_;  // per value; empty: none
  LearnedSplits& learned_;
  HeadCheck& heads_;
  OpenWeights open_;
  ShardPlan plan_;
  std::vector<int32_t> origin_;  // per split value: the weight whose split began it
  std::vector<bool> looked_up_;  // per value: rows that parts of a table give
  bool backward_ = false;        // the gradient of the loss has been met
};

}  // namespace

// Repeats rounds over the whole program until no round learns anything:
//
// 1. Weights that the plan or vocabulary parallelism splits are fixed. Values whose split does not fit are gathered.
// 2. If the split of any other weight reaches a dimension that must be whole, the weight stays whole in later rounds.
// 3. If it reaches a Split into n parts, the weight is split in n blocks in later rounds (a fused projection q|k|v).
ShardPlan plan_shards(const ir::Module& module, const ir::Function& function,
                      const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding,
                      const std::vector<bool>& arrives) {
  const FunctionToShard of = to_shard(module, function, values, ways, sharding);
  LearnedSplits learned;
  HeadCheck heads;
  for (;;) {
    const size_t before = learned.size();
    learned.begin_round();
    ShardPlan plan = ShardRound(of, arrives, learned, heads).run();
    if (learned.size() > before) continue;
    heads.finish();
    plan.obstacles  = learned.obstacles();
    plan.kept_whole = learned.kept_whole();
    return plan;
  }
}

}  // namespace foreflow::transform
