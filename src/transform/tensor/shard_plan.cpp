#include "transform/tensor/shard_plan.h"

#include <map>
#include <set>

#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "transform/layout/caches.h"
#include "transform/layout/sequence_layout.h"
#include "transform/rewrite/factor_text.h"
#include "transform/rewrite/op_types.h"
#include "transform/tensor/numbered_parts.h"
#include "transform/tensor/vocabulary.h"
#include "transform/tensor/weight_plan.h"

namespace foreflow::transform {
namespace {

// The origin of a split: the number of the weight from which it spread, or one of these.
constexpr int32_t kNoOrigin = -1;
constexpr int32_t kSequence = -2;  // sequence parallelism; may be gathered anywhere

// An op with the layouts in which its operands arrive. Its leader is the operand whose split decides how the op is
// split: the first split activation or, if there is none, the first split parameter.
struct Arrival {
  const ir::Op& op;
  const ir::OpCall& call;
  std::span<const ir::ValueId> inputs;
  std::vector<Layout> layouts = {};
  int32_t leader              = -1;         // -1: none
  int32_t origin              = kNoOrigin;  // of the leader
};

// A weight, or a converted or transposed copy of one (an exporter may store a weight as [out, in]).
struct Stored {
  int32_t weight  = -1;
  bool transposed = false;
};

// Decides op by op, greedily in program order. It repeats rounds over the whole program until no round learns anything:
//
// 1. Weights that the plan or vocabulary parallelism splits are fixed. Values whose split does not fit are gathered.
// 2. If the split of any other weight reaches a dimension that must be whole, the weight stays whole in later rounds.
// 3. If it reaches a Split into n parts, the weight is split in n blocks in later rounds (a fused projection q|k|v).
class ShardPlanner {
 public:
  ShardPlanner(const ir::Module& module, const ir::Function& function,
               const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding,
               const std::vector<bool>& arrives)
      : module_(module),
        function_(function),
        values_(values),
        arrives_(arrives),
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
    if (refusal_ && !has_heads_) throw RefusalError(*refusal_);
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

  // Whether the uses of a parameter decide its layout: a cache of keys and values, an optimizer state, or a weight that
  // the plan leaves open.
  bool is_open(size_t parameter) const {
    const bool weight = function_.parameters[parameter] == ir::ParameterRole::weight;
    return caches_[parameter] || (weight && (automatic_ || !model_weights_[parameter]));
  }

  void round() {
    stale_ = false;
    plan_  = {std::vector<Layout>(function_.values.size()), {}, {}, 0, 0};
    origin_.assign(function_.values.size(), kNoOrigin);
    undecided_.assign(function_.values.size(), false);
    looked_up_.assign(function_.values.size(), false);
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
    backward_ = false;
    for (const ir::Op& op : function_.ops) {
      backward_ = backward_ || op.def->role == ir::Role::loss_gradient;
      visit(op);
    }
  }

  int64_t blocks_of(int32_t weight) const {
    const auto blocks = blocks_.find(weight);
    return blocks == blocks_.end() ? 1 : blocks->second;
  }

  // Whether the weight, or the weight that the value is a copy of, has had no use so far except by copies.
  bool is_undecided(ir::ValueId id) const {
    const int32_t weight = stored_[ir::index(id)].weight;
    return undecided_[ir::index(id)] && undecided_[static_cast<size_t>(weight)];
  }

  // From the next round on, splits a weight in the way in which its copy is needed.
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
    const bool rows = by_vocabulary && call.def.vocabulary.kind == ir::VocabularyForm::Kind::lookup;
    accept(arrival, by_vocabulary ? std::move(*by_vocabulary) : decided(arrival));
    if (rows) looked_up_[op.first_result] = true;
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
    // At the beginning of a tensor-parallel region, values that are split along the sequence are gathered.
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (is_along_sequence(arrival, i)) arrival.layouts[i] = Layout::whole();
    }
    Decision decision = decide(arrival.call, arrival.layouts, ways_);
    if (refuses_split(arrival.layouts, decision)) {
      // What updates a weight gathers its gradient where the weight is whole. A vector that layers share, such as a
      // bias that is whole in a norm and cut in a projection, then leaves the matrices of these layers split.
      if (arrival.call.def.role != ir::Role::optimizer) decision = mend(arrival);
    } else if (arrival.call.def.role == ir::Role::view && heads_of(arrival) > 0) {
      has_heads_ = true;
    }
    return cuts_weight(arrival, decision) ? with_whole_activations(arrival) : decision;
  }

  // Begins a split at an undecided weight, if this op is a product with it.
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

  // The decision outside of tensor-parallel regions. With sequence parallelism, sums are reduce-scattered along the
  // sequence, and indices into embedding tables split along it, if the op can work on the parts. The rows that parts of
  // an embedding table give are summed before anything is added to them, as frameworks do: else the whole residual
  // stream, which begins with them, would be partial sums, and be kept and sent twice.
  Decision along_sequence(const Arrival& arrival) const {
    std::vector<Layout> parts = arrival.layouts, summed = arrival.layouts;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (is_looked_up(arrival, i)) summed[i] = Layout::whole();
    }
    Decision decision = decide(arrival.call, summed, ways_);
    if (!sequences_ || arrival.call.def.role == ir::Role::optimizer) return decision;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].is_partial() && decision.inputs[i].is_whole())
        parts[i] = sequences_->of_activation(arrival.inputs[i], arrival.call.inputs[i], ways_);
    }
    if (is_lookup(arrival)) parts[1] = sequences_->of_indices(arrival.inputs[1], arrival.call.inputs[1], ways_);
    if (parts == arrival.layouts) return decision;
    Decision split = decide(arrival.call, parts, ways_);
    return refuses_split(parts, split) || !split.outputs[0].is_split() ? decision : split;
  }

  bool is_looked_up(const Arrival& arrival, size_t i) const {
    return arrival.layouts[i].is_partial() && looked_up_[ir::index(arrival.inputs[i])];
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

  // Handles an op that cannot work on the split that arrives. Tries, in this order:
  //
  // 1. to split the origin in blocks;
  // 2. to split fixed weights in the blocks in which the leader is split;
  // 3. if the origin is a fixed weight, to gather the activations;
  // 4. to keep the origin whole.
  Decision mend(Arrival& arrival) {
    const ir::Factors factors = arrival.call.def.factors(arrival.call);
    const int64_t blocks      = factors.blocked != 0 ? factors.blocks : blocks_of_view(arrival, factors);
    if (blocks > 1 && !blocks_.contains(arrival.origin)) {
      std::vector<Layout> blocked = arrival.layouts;
      for (Layout& layout : blocked) layout.blocks *= layout.is_split() ? blocks : 1;
      Decision decision = decide(arrival.call, blocked, ways_);
      if (!refuses_split(blocked, decision)) {
        blocks_[arrival.origin] = blocks;
        stale_                  = true;
        return decision;
      }
    }
    if (auto decision = followed_in_blocks(arrival)) return std::move(*decision);
    const bool vocabulary = vocabulary_.tables().contains(static_cast<size_t>(arrival.origin));
    const bool is_view    = factors.rule == ir::Factors::Rule::linear_view;
    // Gradients of heads of keys and values that several shards share do not fit the heads themselves.
    if (is_view && backward_) return with_whole_activations(arrival);
    if (is_view && !stale_ && !vocabulary) check_heads(arrival);
    if (fixed_[static_cast<size_t>(arrival.origin)]) return with_whole_activations(arrival);
    if (!stale_) whole_.insert(arrival.origin);
    return with_everything_whole(arrival);
  }

  // The number of parts as which a Reshape shows a fused projection, x[..,3*h] as [..,3,h] or [..,3,n,h/n], if they are
  // then taken apart; else 0.
  int64_t blocks_of_view(const Arrival& arrival, const ir::Factors& factors) const {
    if (factors.rule != ir::Factors::Rule::linear_view || !arrival.layouts[0].is_split()) return 0;
    const auto dim      = static_cast<size_t>(arrival.layouts[0].dim);
    const ir::Dims from = arrival.call.inputs[0].dims, to = arrival.call.def.infer(arrival.call)[0].dims;
    if (to.size() <= from.size() || dim >= from.size()) return 0;
    int64_t shown = 1;
    for (size_t i = dim; i <= dim + to.size() - from.size(); ++i) shown *= to[i];
    return shown == from[dim] && is_taken_apart(function_, values_, function_.output(arrival.op, 0), to[dim]) ? to[dim]
                                                                                                              : 0;
  }

  // The number of heads that a Reshape shows in the dimension that is split, x[..,n*h] as [..,n,h]; 0: it shows none.
  int64_t heads_of(const Arrival& arrival) const {
    if (arrival.layouts.empty() || !arrival.layouts[0].is_split()) return 0;
    const auto dim      = static_cast<size_t>(arrival.layouts[0].dim);
    const ir::Dims from = arrival.call.inputs[0].dims, to = arrival.call.def.infer(arrival.call)[0].dims;
    const bool inserts = to.size() == from.size() + 1 && dim + 1 < to.size() && to[dim] * to[dim + 1] == from[dim];
    return inserts ? to[dim] : 0;
  }

  // Refuses a view that the split does not fit, unless it shows heads of keys or values that several shards share, as
  // queries have enough heads. Each shard then computes all of them and takes its own, as Megatron-LM and vLLM repeat
  // such heads. Queries may come later: only when all is planned is it known that there are none.
  void check_heads(const Arrival& arrival) {
    const int64_t heads = heads_of(arrival);
    const bool fewer = heads > 0 && heads < ways_ && ways_ % heads == 0 && !fixed_[static_cast<size_t>(arrival.origin)];
    if (!fewer) throw refused_view(arrival);
    if (has_heads_ || heads <= refused_heads_) return;
    refused_heads_ = heads;
    refusal_       = refused_view(arrival);
  }

  // Splits fixed weights that meet a leader split in blocks in the same number of blocks: the bias of a fused
  // projection. Nothing if other operands do not fit.
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

  // Whether the decision would slice a weight that the plan leaves whole.
  bool cuts_weight(const Arrival& arrival, const Decision& decision) const {
    if (automatic_ || arrival.call.def.role == ir::Role::optimizer) return false;
    for (size_t i = 0; i < arrival.inputs.size(); ++i) {
      if (arrival.inputs[i] == ir::ValueId::none || !is_parameter(arrival.inputs[i])) continue;
      const bool matrix = model_weights_[ir::index(arrival.inputs[i])] && arrival.call.inputs[i].dims.size() > 1;
      if (matrix && arrival.layouts[i].is_whole() && decision.inputs[i].is_split()) return true;
    }
    return false;
  }

  // Gathers the activations; fixed weights stay split if the op can work on them.
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

  // ", 1, 2 or 4"; empty where the number is not known.
  static std::string divisors_of(int64_t heads) {
    std::vector<std::string> all;
    for (int64_t i = 1; i <= heads; ++i) {
      if (heads % i == 0) all.push_back(std::to_string(i));
    }
    return all.empty() ? "" : ", " + list_or(all);
  }

  RefusalError refused_view(const Arrival& arrival) const {
    const std::vector<ir::Type> outputs = arrival.call.def.infer(arrival.call);
    return RefusalError(Cause::program, ir::describe(module_, function_, arrival.op),
                        "tensor parallelism of " + std::to_string(ways_) + " does not divide the dimensions of " +
                            ir::to_string(outputs[0].dims) + "; use a divisor of the number of heads" +
                            divisors_of(heads_of(arrival)));
  }

  // Whether the op makes real numbers of a weight in fewer bits, element by element, with scales that are weights.
  bool dequantises(const Arrival& arrival) const {
    const ir::OpCall& call = arrival.call;
    if (call.def.role != ir::Role::compute || call.outputs != 1 || ir::is_float(call.inputs[0].dtype)) return false;
    for (size_t i = 1; i < arrival.inputs.size(); ++i) {
      const ir::ValueId id = arrival.inputs[i];
      if (id != ir::ValueId::none && !is_undecided(id) && call.known[i] == nullptr) return false;
    }
    const ir::Type result   = call.def.infer(call)[0];
    const FactorText text   = parse_factors(call.def.factors(call).text);
    const bool each_element = text.inputs.size() > 1 && text.outputs.size() == 1 && text.inputs[0] == text.outputs[0];
    return each_element && ir::is_float(result.dtype) && result.dims == call.inputs[0].dims;
  }

  // Whether the op copies, converts, dequantises or transposes an undecided weight, so that the copy can stand for it.
  bool keeps_weight(const Arrival& arrival) const {
    const ir::Copy copy = arrival.call.def.copy;
    if (arrival.inputs.empty() || arrival.inputs[0] == ir::ValueId::none || !is_undecided(arrival.inputs[0]))
      return false;
    if (dequantises(arrival)) return true;
    return copy == ir::Copy::same || copy == ir::Copy::converted ||
           (copy == ir::Copy::permuted && arrival.call.inputs[0].dims.size() == 2);
  }

  // Records a decision. An undecided weight takes the layout that its first use by tensor parallelism needs; uses
  // outside of it slice the weight instead.
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
      if (!arrives_.empty() && arrives_[value]) receive(arrival.op, i);
    }
    plan_.decisions.push_back(std::move(decision));
  }

  // Another group of devices makes this result, and hands it on as a whole or in parts.
  void receive(const ir::Op& op, uint32_t result) {
    const size_t value = op.first_result + result;
    Layout& layout     = plan_.layouts[value];
    if (layout.is_whole() || (layout.is_split() && layout.blocks == 1)) return;
    const bool along = layout.is_partial() && sequences_.has_value();
    const Layout part =
        along ? sequences_->of_activation(function_.output(op, result), values_[value].type, ways_) : Layout::whole();
    layout         = part.blocks == 1 ? part : Layout::whole();
    origin_[value] = layout.is_split() ? kSequence : kNoOrigin;
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const std::vector<bool>& arrives_;  // per value; empty: none
  const std::vector<bool> caches_;    // per parameter
  const int ways_;
  const bool automatic_;                   // weights are split as they are met
  const std::vector<bool> model_weights_;  // per parameter
  SplitDims fixed_;                        // per parameter
  std::optional<SequenceLayouts> sequences_;
  VocabularyRules vocabulary_;
  ShardPlan plan_;
  std::vector<int32_t> origin_;                              // per split value: the weight whose split began it
  std::vector<bool> undecided_;                              // per value: a weight or a cache without a use so far
  std::vector<bool> looked_up_;                              // per value: rows that parts of a table give
  std::vector<Stored> stored_;                               // per value: the weight that it is or was copied from
  std::set<int32_t> whole_;                                  // weights that stay whole
  std::map<int32_t, std::optional<int32_t>> stored_splits_;  // the dimension of weights that are split through a copy
  std::map<int32_t, int64_t> blocks_;                        // weights split in blocks
  bool has_heads_        = false;                            // a projection was split by its heads
  int64_t refused_heads_ = 0;
  std::optional<RefusalError> refusal_;  // of the most heads, which queries with more would allow
  bool backward_ = false;                // the gradient of the loss has been met
  bool stale_    = false;  // this round found blocks: what was decided before is no reason to give up a split
};

}  // namespace

ShardPlan plan_shards(const ir::Module& module, const ir::Function& function,
                      const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding,
                      const std::vector<bool>& arrives) {
  return ShardPlanner(module, function, values, ways, sharding, arrives).run();
}

}  // namespace foreflow::transform
