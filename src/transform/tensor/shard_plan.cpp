#include "transform/tensor/shard_plan.h"

#include <map>
#include <set>

#include "foreflow/base/refusal.h"
#include "transform/layout/caches.h"
#include "transform/layout/sequence_layout.h"
#include "transform/rewrite/op_types.h"
#include "transform/tensor/vocabulary.h"
#include "transform/tensor/weight_plan.h"

namespace foreflow::transform {
namespace {

// What began a split: the number of a weight, or one of these.
constexpr int32_t kNoOrigin = -1;
constexpr int32_t kSequence = -2;  // may be gathered anywhere: no weight is given up for it

// What an op sees: layouts as they arrive. Its leader is the first operand that the split of a weight has reached, an
// activation rather than a weight; -1: none.
struct Arrival {
  const ir::Op& op;
  const ir::OpCall& call;
  std::span<const ir::ValueId> inputs;
  std::vector<Layout> layouts = {};
  int32_t leader              = -1;
  int32_t origin              = kNoOrigin;  // of the leader
};

// A weight, perhaps as a program converts or transposes it before its use: an export may store [out, in].
struct Stored {
  int32_t weight  = -1;
  bool transposed = false;
};

// Greedy in program order. Weights that a plan or the vocabulary splits are fixed, and what does not fit them is
// gathered. Any other weight whose split leads to a dimension that must be whole is kept whole in the next round. One
// that is cut by a Split op is split in as many blocks.
class ShardPlanner {
 public:
  ShardPlanner(const ir::Module& module, const ir::Function& function,
               const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding)
      : module_(module),
        function_(function),
        values_(values),
        caches_(caches_of(function)),
        ways_(ways),
        automatic_(sharding.plan.kind == TensorPlan::Kind::automatic),
        model_weights_(model_weights(function)),
        fixed_(weight_splits(module, function, values, sharding, ways)) {
    if (ways == 1) return;
    if (sharding.sequence) sequences_ = SequenceLayouts(module, values);
    if (sharding.vocabulary) fix_vocabulary();
  }

  ShardPlan run() {
    for (;;) {
      const size_t kept = whole_.size(), blocked = blocks_.size(), forced = stored_splits_.size();
      round();
      if (whole_.size() == kept && blocks_.size() == blocked && stored_splits_.size() == forced) break;
    }
    for (size_t i = 0; i < function_.parameters.size(); ++i) plan_.split_weights += plan_.layouts[i].is_split() ? 1 : 0;
    for (const int32_t origin : origin_) plan_.split_activations += origin == kSequence ? 1 : 0;
    return std::move(plan_);
  }

 private:
  void fix_vocabulary() {
    vocabulary_ = VocabularyRules(function_, values_);
    for (const size_t table : vocabulary_.tables()) {
      const int64_t rows = values_[table].type.dims[0];
      if (rows % ways_ != 0) {
        throw RefusalError(Cause::program, module_.source + ": @" + function_.name,
                           "vocabulary parallelism over " + std::to_string(ways_) + " devices does not divide the " +
                               std::to_string(rows) + " rows of %" + function_.values[table].name + "; pad them to " +
                               std::to_string((rows + ways_ - 1) / ways_ * ways_));
      }
      fixed_[table] = 0;
    }
  }

  // Lives as its uses want it: a weight that no plan speaks of, what an optimizer keeps, a cache of keys and values.
  bool is_open(size_t parameter) const {
    const bool weight = function_.parameters[parameter] == ir::ParameterRole::weight;
    return caches_[parameter] || (weight && (automatic_ || !model_weights_[parameter]));
  }

  void round() {
    stale_ = false;
    plan_  = {std::vector<Layout>(function_.values.size()), {}, {}, 0, 0};
    origin_.assign(function_.values.size(), kNoOrigin);
    undecided_.assign(function_.values.size(), false);
    stored_.assign(function_.values.size(), Stored());
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const auto number = static_cast<int32_t>(i);
      const auto stored = stored_splits_.find(number);
      const bool forced = stored != stored_splits_.end() && !whole_.contains(number);
      const auto dim    = forced ? stored->second : fixed_[i];
      undecided_[i]     = is_open(i) && !dim;
      stored_[i]        = {number, false};
      if (!dim) continue;
      plan_.layouts[i] = Layout::split(*dim, blocks_of(number));
      origin_[i]       = number;
    }
    for (const ir::Op& op : function_.ops) visit(op);
  }

  int64_t blocks_of(int32_t weight) const {
    const auto blocks = blocks_.find(weight);
    return blocks == blocks_.end() ? 1 : blocks->second;
  }

  // Whether nothing but copies of the weight have been made so far.
  bool is_undecided(ir::ValueId id) const {
    const int32_t weight = stored_[ir::index(id)].weight;
    return undecided_[ir::index(id)] && undecided_[static_cast<size_t>(weight)];
  }

  // A weight is split from the next round on as its copy is wanted now.
  void split_stored(const Stored& copy, const Layout& wanted) {
    stored_splits_[copy.weight] = copy.transposed ? 1 - wanted.dim : wanted.dim;
    stale_                      = true;
  }

  void visit(const ir::Op& op) {
    const OpTypes types(function_, op, values_);
    const ir::OpCall call = types.call();
    Arrival arrival{.op = op, .call = call, .inputs = function_.inputs(op)};
    for (const ir::ValueId id : arrival.inputs)
      arrival.layouts.push_back(id == ir::ValueId::none ? Layout::whole() : plan_.layouts[ir::index(id)]);
    find_leader(arrival);
    auto by_vocabulary = vocabulary_.decide(function_, op, call, arrival.layouts);
    if (by_vocabulary && arrival.origin == kNoOrigin)
      arrival.origin = static_cast<int32_t>(*vocabulary_.tables().begin());
    plan_.by_vocabulary.push_back(by_vocabulary.has_value());
    accept(arrival, by_vocabulary ? std::move(*by_vocabulary) : decided(arrival));
  }

  void find_leader(Arrival& arrival) const {
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (!arrival.layouts[i].is_split() || is_along_sequence(arrival, i)) continue;
      const bool better = arrival.leader < 0 || (is_parameter(arrival.inputs[static_cast<size_t>(arrival.leader)]) &&
                                                 !is_parameter(arrival.inputs[i]));
      if (!better) continue;
      arrival.leader = static_cast<int32_t>(i);
      arrival.origin = origin_[ir::index(arrival.inputs[i])];
    }
  }

  bool is_parameter(ir::ValueId id) const { return ir::index(id) < function_.parameters.size(); }
  bool is_fixed(ir::ValueId id) const { return is_parameter(id) && fixed_[ir::index(id)]; }
  bool is_along_sequence(const Arrival& arrival, size_t i) const {
    return arrival.layouts[i].is_split() && origin_[ir::index(arrival.inputs[i])] == kSequence;
  }

  Decision decided(Arrival& arrival) {
    if (arrival.origin == kNoOrigin) start(arrival);
    if (arrival.origin == kNoOrigin) return along_sequence(arrival);
    // A region of tensor parallelism begins by gathering what is split along the sequence.
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (is_along_sequence(arrival, i)) arrival.layouts[i] = Layout::whole();
    }
    Decision decision = decide(arrival.call, arrival.layouts, ways_);
    if (refuses_split(arrival.layouts, decision)) decision = mend(arrival);
    return cuts_weight(arrival, decision) ? with_whole_activations(arrival) : decision;
  }

  // Splits a weight that nothing has touched, if this op is a product with it.
  void start(Arrival& arrival) {
    if (ways_ == 1) return;
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (arrival.inputs[i] == ir::ValueId::none || !is_undecided(arrival.inputs[i])) continue;
      const Stored& stored = stored_[ir::index(arrival.inputs[i])];
      if (caches_[static_cast<size_t>(stored.weight)] || whole_.contains(stored.weight)) continue;
      const std::optional<Layout> layout = starts_split(arrival.call, i, ways_, blocks_of(stored.weight));
      if (!layout) continue;
      if (!is_parameter(arrival.inputs[i])) split_stored(stored, *layout);
      arrival.layouts[i] = *layout;
      arrival.leader     = static_cast<int32_t>(i);
      arrival.origin     = stored.weight;
      return;
    }
  }

  // Outside of tensor parallelism a sum becomes parts of the sequence where the op can work on them, and so do the
  // numbers of tokens that are looked up.
  Decision along_sequence(const Arrival& arrival) const {
    Decision decision = decide(arrival.call, arrival.layouts, ways_);
    if (!sequences_ || arrival.call.def.role == ir::Role::optimizer) return decision;
    std::vector<Layout> parts = arrival.layouts;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].is_partial() && decision.inputs[i].is_whole())
        parts[i] = sequences_->of_activation(arrival.inputs[i], arrival.call.inputs[i], ways_);
    }
    if (is_lookup(arrival)) parts[1] = sequences_->of_indices(arrival.inputs[1], arrival.call.inputs[1], ways_);
    if (parts == arrival.layouts) return decision;
    Decision split = decide(arrival.call, parts, ways_);
    return refuses_split(parts, split) || !split.outputs[0].is_split() ? decision : split;
  }

  bool is_lookup(const Arrival& arrival) const {
    return arrival.call.def.vocabulary.kind == ir::VocabularyForm::Kind::lookup && is_parameter(arrival.inputs[0]) &&
           arrival.layouts[1].is_whole() && arrival.call.attributes.int_or("axis", 0) == 0 &&
           arrival.call.known[1] == nullptr;
  }

  static bool refuses_split(const std::vector<Layout>& arriving, const Decision& decision) {
    for (size_t i = 0; i < arriving.size(); ++i) {
      if (arriving[i].is_split() && arriving[i] != decision.inputs[i]) return true;
    }
    return false;
  }

  // The op cannot go on with this split. Either it can with more blocks, or something is gathered: of fixed weights the
  // activations, else the weight that began it stays whole.
  Decision mend(Arrival& arrival) {
    const ir::Factors factors = arrival.call.def.factors(arrival.call);
    if (factors.blocked != 0 && !blocks_.contains(arrival.origin)) {
      std::vector<Layout> blocked = arrival.layouts;
      for (Layout& layout : blocked) layout.blocks *= layout.is_split() ? factors.blocks : 1;
      Decision decision = decide(arrival.call, blocked, ways_);
      if (!refuses_split(blocked, decision)) {
        blocks_[arrival.origin] = factors.blocks;
        stale_                  = true;
        return decision;
      }
    }
    if (auto decision = followed_in_blocks(arrival)) return std::move(*decision);
    const bool vocabulary = vocabulary_.tables().contains(static_cast<size_t>(arrival.origin));
    if (factors.rule == ir::Factors::Rule::linear_view && !stale_ && !vocabulary) refuse_view(arrival);
    if (fixed_[static_cast<size_t>(arrival.origin)]) return with_whole_activations(arrival);
    if (!stale_) whole_.insert(arrival.origin);
    return with_everything_whole(arrival);
  }

  // A fixed weight that meets a split in blocks is split in as many: the bias of a fused projection.
  std::optional<Decision> followed_in_blocks(const Arrival& arrival) {
    const auto leader = static_cast<size_t>(arrival.leader);
    std::vector<Layout> alone(arrival.layouts.size());
    alone[leader]     = arrival.layouts[leader];
    Decision decision = decide(arrival.call, alone, ways_);
    if (decision.inputs[leader] != alone[leader]) return std::nullopt;
    for (size_t i = 0; i < alone.size(); ++i) {
      const Layout &is = arrival.layouts[i], &asked = decision.inputs[i];
      if (!is.is_split() || is == asked) continue;
      if (!is_fixed(arrival.inputs[i]) || !asked.is_split() || asked.dim != is.dim) return std::nullopt;
      blocks_[static_cast<int32_t>(arrival.inputs[i])] = asked.blocks;
      stale_                                           = true;
    }
    return decision;
  }

  // Whether a weight that the plan leaves whole would be cut for a split activation.
  bool cuts_weight(const Arrival& arrival, const Decision& decision) const {
    if (automatic_ || arrival.call.def.role == ir::Role::optimizer) return false;
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (arrival.inputs[i] == ir::ValueId::none || !is_parameter(arrival.inputs[i])) continue;
      const bool matrix = model_weights_[ir::index(arrival.inputs[i])] && arrival.call.inputs[i].dims.size() > 1;
      if (matrix && arrival.layouts[i].is_whole() && decision.inputs[i].is_split()) return true;
    }
    return false;
  }

  // Activations are gathered; weights stay split where the op can work so.
  Decision with_whole_activations(Arrival& arrival) const {
    std::vector<Layout> layouts = arrival.layouts;
    for (size_t i = 0; i < layouts.size(); ++i) {
      if (layouts[i].is_split() && !is_fixed(arrival.inputs[i])) layouts[i] = Layout::whole();
    }
    Decision decision = decide(arrival.call, layouts, ways_);
    return refuses_split(layouts, decision) ? with_everything_whole(arrival) : decision;
  }

  Decision with_everything_whole(Arrival& arrival) const {
    for (Layout& layout : arrival.layouts) layout = layout.is_split() ? Layout::whole() : layout;
    return decide(arrival.call, arrival.layouts, ways_);
  }

  [[noreturn]] void refuse_view(const Arrival& arrival) const {
    const std::vector<ir::Type> outputs = arrival.call.def.infer(arrival.call);
    throw RefusalError(Cause::program, ir::describe(module_, function_, arrival.op),
                       "tensor parallelism of " + std::to_string(ways_) + " does not divide the dimensions of " +
                           ir::to_string(outputs[0].dims) + "; use a divisor of the number of heads");
  }

  // A copy of an undecided weight that is as good as the weight.
  bool keeps_weight(const Arrival& arrival) const {
    const ir::Copy copy = arrival.call.def.copy;
    if (arrival.inputs.empty() || arrival.inputs[0] == ir::ValueId::none || !is_undecided(arrival.inputs[0]))
      return false;
    return copy != ir::Copy::none && (copy != ir::Copy::permuted || arrival.call.inputs[0].dims.size() == 2);
  }

  // A weight lives as its first use by tensor parallelism wants it; parts of a sequence are cut from it.
  void accept(const Arrival& arrival, Decision decision) {
    const bool copies = keeps_weight(arrival);
    if (copies) {
      static const std::vector<int64_t> kTurned = {1, 0};
      const Stored from                         = stored_[ir::index(arrival.inputs[0])];
      const bool turns                          = arrival.call.def.copy == ir::Copy::permuted &&
                         arrival.call.attributes.find_ints("perm").value_or(kTurned) == kTurned;
      stored_[arrival.op.first_result]    = {from.weight, from.transposed != turns};
      undecided_[arrival.op.first_result] = true;
    }
    for (size_t i = 0; i < arrival.inputs.size() && !copies; ++i) {
      if (arrival.inputs[i] == ir::ValueId::none) continue;
      const size_t value = ir::index(arrival.inputs[i]);
      if (!undecided_[value]) continue;
      const bool open   = is_undecided(arrival.inputs[i]);
      undecided_[value] = false;
      if (arrival.origin == kNoOrigin || !decision.inputs[i].is_split() || !open) continue;
      if (!is_parameter(arrival.inputs[i])) {
        if (!whole_.contains(stored_[value].weight)) split_stored(stored_[value], decision.inputs[i]);
        continue;
      }
      plan_.layouts[value] = decision.inputs[i];
      origin_[value]       = arrival.origin;
    }
    for (uint32_t i = 0; i < arrival.op.result_count; ++i) {
      const size_t value   = arrival.op.first_result + i;
      plan_.layouts[value] = decision.outputs[i];
      if (decision.outputs[i].is_split()) origin_[value] = arrival.origin == kNoOrigin ? kSequence : arrival.origin;
    }
    plan_.decisions.push_back(std::move(decision));
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const std::vector<bool> caches_;  // per parameter
  const int ways_;
  const bool automatic_;                   // weights are split as they are met
  const std::vector<bool> model_weights_;  // per parameter
  SplitDims fixed_;                        // per parameter
  std::optional<SequenceLayouts> sequences_;
  VocabularyRules vocabulary_;
  ShardPlan plan_;
  std::vector<int32_t> origin_;                              // per split value: the weight whose split began it
  std::vector<bool> undecided_;                              // per value: a weight or a cache without a use so far
  std::vector<Stored> stored_;                               // per value: the weight that it is or was copied from
  std::set<int32_t> whole_;                                  // weights that stay whole
  std::map<int32_t, std::optional<int32_t>> stored_splits_;  // the dimension of weights that are split through a copy
  std::map<int32_t, int64_t> blocks_;                        // weights split in blocks
  bool stale_ = false;  // this round found blocks: what was decided before is no reason to give up a split
};

}  // namespace

ShardPlan plan_shards(const ir::Module& module, const ir::Function& function,
                      const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding) {
  return ShardPlanner(module, function, values, ways, sharding).run();
}

}  // namespace foreflow::transform
