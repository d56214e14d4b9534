#include "transform/context/data_split_plan.h"

#include <algorithm>
#include <limits>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/ir/text.h"
#include "foreflow/reshard/spec.h"
#include "transform/context/attention_layouts.h"
#include "transform/context/expert_gathers.h"
#include "transform/layout/reshard_row.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

// Decides op by op, greedily in program order. An op keeps a split that one of its operands has. Of several such
// decisions the planner takes the one without partial results, and among these the one that moves the fewest bytes.
class DataSplitPlanner {
 public:
  DataSplitPlanner(const ir::Module& module, const interpret::Values<interpret::Mixed>& values, int ways,
                   const DataSplit& split, const SplitVariants& variants, size_t variant)
      : module_(module),
        function_(module.entry()),
        values_(values),
        ways_(ways),
        split_(split),
        variants_(variants),
        variant_(variant),
        blocks_(split.blocks) {}

  DataSplitPlan run() {
    const size_t count = function_.values.size();
    plan_.layouts.resize(count);
    at_hand_.resize(count);
    undecided_.assign(count, false);
    experts_.assign(count, false);
    if (split_.experts) gathers_ = expert_gathers(function_, values_);
    for (size_t i = 0; i < function_.parameters.size() && ways_ > 1; ++i) parameter(i);
    if (size_ == 0 && ways_ > 1) refuse_data();
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (variants_.several() && op.def->reshards) {
        transfer(op, variants_.of_op[o] == variant_);
      } else if (!variants_.several() || variants_.of_op[o] == variant_) {
        visit(op);
      } else {
        plan_.decisions.emplace_back();
      }
    }
    plan_.has_experts = std::find(experts_.begin(), experts_.end(), true) != experts_.end();
    return std::move(plan_);
  }

 private:
  std::string place() const { return module_.source + ": @" + function_.name; }
  const ir::Type& type(ir::ValueId id) const { return values_[ir::index(id)].type; }

  // Data are split along the dimension if it has the same size as in the first data parameter that has the dimension.
  void parameter(size_t i) {
    const ir::Type& type = values_[i].type;
    undecided_[i]        = function_.parameters[i] == ir::ParameterRole::weight;
    const auto dim       = static_cast<size_t>(split_.dim);
    if (undecided_[i] || !type.is_tensor() || dim >= type.dims.size()) return;
    if (size_ == 0) size_ = type.dims[dim];
    if (type.dims[dim] != size_) return;
    if (size_ % (ways_ * split_.blocks) != 0) refuse_data();
    const bool deals =
        split_.attention == ContextAttention::striped_ring || split_.attention == ContextAttention::striped_all_gather;
    if (deals) blocks_ = size_ / ways_;
    if (is_here(i)) plan_.layouts[i] = Layout::split(split_.dim, blocks_);
  }

  bool is_here(size_t value) const { return !variants_.several() || variants_.of_value[value] == variant_; }

  // A Reshard from or to this variant, or between two others.
  void transfer(const ir::Op& op, bool receives) {
    const auto inputs = function_.inputs(op);
    Decision decision;
    decision.inputs.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const size_t value = ir::index(inputs[i]);
      if (!is_here(value)) continue;
      const Layout& wanted = decision.inputs[i] = sent(op, value);
      if (!has(inputs[i], wanted)) at_hand_[value].push_back(wanted);
      undecided_[value] = false;
    }
    for (uint32_t i = 0; receives && i < op.result_count; ++i)
      plan_.layouts[op.first_result + i] = slice(op, "target", op.first_result + i);
    plan_.decisions.push_back(std::move(decision));
  }

  // A part of a dimension in blocks is no slice of it, and a sum is not sent before it is taken.
  Layout sent(const ir::Op& op, size_t value) const {
    const Layout& made = plan_.layouts[value];
    if (made.is_partial()) return slice(op, "source", value);
    return made.is_split() && made.blocks == 1 ? made : Layout::whole();
  }

  // The split of a value along the positions or samples, if its parts are slices of it on this side of a Reshard;
  // otherwise whole. The last dimension of the mesh is that of tensor parallelism, which may split them as well.
  Layout slice(const ir::Op& op, const std::string& side, size_t value) const {
    const ir::Type& type  = values_[value].type;
    const auto mesh       = op.attributes->get_ints(side + "_mesh");
    const reshard::Spec s = reshard::parse_spec(op.attributes->string_or(side + "_spec", ""), side + "_spec");
    for (auto dim = static_cast<size_t>(split_.dim); ways_ > 1 && dim < type.dims.size(); ++dim) {
      const auto& axes   = s.split[dim];
      const bool sharded = std::find(axes.begin(), axes.end(), static_cast<int>(mesh.size()) - 1) != axes.end();
      const int64_t tp   = sharded ? mesh.back() : 1;
      if (type.dims[dim] * tp != size_) continue;
      const bool divides = blocks_ == tp && type.dims[dim] % ways_ == 0;
      return divides ? Layout::split(static_cast<int32_t>(dim)) : Layout::whole();
    }
    return Layout::whole();
  }

  [[noreturn]] void refuse_data() const {
    if (size_ == 0)
      throw RefusalError(Cause::program, place(),
                         "has no data with dimension " + std::to_string(split_.dim) + " to split");
    const std::string blocks = split_.blocks == 1 ? "" : "of " + std::to_string(split_.blocks) + " blocks ";
    throw RefusalError(Cause::program, place(),
                       std::to_string(ways_) + " ways " + blocks + "do not divide dimension " +
                           std::to_string(split_.dim) + " of the data, which is " + std::to_string(size_));
  }

  void visit(const ir::Op& op) {
    const OpTypes types(function_, op, values_);
    const ir::OpCall call = types.call();
    const auto inputs     = function_.inputs(op);
    std::vector<Layout> made;
    for (const ir::ValueId id : inputs)
      made.push_back(id == ir::ValueId::none ? Layout::whole() : plan_.layouts[ir::index(id)]);
    const std::optional<AttentionDecision> attention =
        split_.dim == 1 ? decide_attention(call, made, ways_, split_.attention) : std::nullopt;
    const std::optional<PartSlice> slice = slice_of_positions(call, types, inputs, made);
    Decision decision                    = attention ? attention->decision
                                           : slice   ? Decision{made, {Layout::whole()}}
                                                     : choose(op, call, inputs, made);
    if (attention && attention->ring) plan_.rings.insert(plan_.decisions.size());
    if (slice) plan_.part_slices.emplace(plan_.decisions.size(), *slice);
    settle(op, inputs, made, decision);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const size_t value   = op.first_result + i;
      plan_.layouts[value] = attention ? attention->outputs[i] : decision.outputs[i];
      // The layout before stays out of at_hand_, since only the gradient of the attention is to read it.
      if (plan_.layouts[value] != decision.outputs[i]) plan_.before[value] = decision.outputs[i];
    }
    plan_.decisions.push_back(std::move(decision));
  }

  // A Slice of few positions, unless the op can keep the split, or an earlier op has gathered its operand.
  std::optional<PartSlice> slice_of_positions(const ir::OpCall& call, const OpTypes& types,
                                              std::span<const ir::ValueId> inputs,
                                              const std::vector<Layout>& made) const {
    if (split_.dim != 1 || inputs.size() != 1 || !made[0].is_split() || made[0].dim != split_.dim) return std::nullopt;
    if (experts_[ir::index(inputs[0])] || has(inputs[0], Layout::whole())) return std::nullopt;
    if (decide(call, made, ways_).inputs[0].is_split()) return std::nullopt;
    return part_slice(call, types.outputs[0], made[0], ways_);
  }

  Decision choose(const ir::Op& op, const ir::OpCall& call, std::span<const ir::ValueId> inputs,
                  const std::vector<Layout>& made) {
    const bool untouched =
        std::all_of(made.begin(), made.end(), [](const Layout& layout) { return layout.is_whole(); });
    if (untouched || call.def.role == ir::Role::optimizer) return decide(call, made, ways_);
    if (split_.experts) {
      if (gathers_[plan_.decisions.size()] && made[0].is_split()) {
        Decision decision = decide(call, std::vector<Layout>(made.size(), Layout::split(0)), ways_);
        if (decision.inputs[0] == Layout::split(0)) return decision;
      }
      if (const int64_t weight = expert_weight(op, call, inputs); weight >= 0)
        return with_experts(op, call, static_cast<size_t>(weight));
    }
    if (std::any_of(made.begin(), made.end(), [](const Layout& layout) { return layout.is_partial(); })) {
      Decision decision = decide(call, made, ways_);
      if (decision.inputs == made) return decision;
    }
    best_ = {};
    // The backward pass mostly needs a value in the layout to which the forward pass converted it: try such layouts
    // first.
    for (size_t i = 0; i < made.size(); ++i) {
      if (inputs[i] == ir::ValueId::none) continue;
      for (const Layout& layout : at_hand_[ir::index(inputs[i])]) {
        if (layout.is_split()) consider(call, inputs, i, layout);
      }
      if (made[i].is_split()) consider(call, inputs, i, made[i]);
    }
    for (size_t i = 0; i < made.size(); ++i) {
      if (made[i].is_partial()) consider_scattering(call, inputs, i);
    }
    if (best_.found) return best_.decision;
    return decide(call, std::vector<Layout>(made.size()), ways_);
  }

  struct Best {
    bool found = false, sums = false;
    double bytes = 0;
    Decision decision;
  };

  // Considers the decision that takes operand `i` in `layout`.
  void consider(const ir::OpCall& call, std::span<const ir::ValueId> inputs, size_t i, const Layout& layout) {
    std::vector<Layout> arriving(inputs.size());
    arriving[i]       = layout;
    Decision decision = decide(call, arriving, ways_);
    if (decision.inputs[i] != layout) return;
    const bool sums    = std::any_of(decision.outputs.begin(), decision.outputs.end(),
                                     [](const Layout& one) { return one.is_partial(); });
    const double bytes = bytes_for(inputs, decision);
    if (bytes == std::numeric_limits<double>::infinity()) return;
    if (best_.found && std::pair(best_.sums, best_.bytes) <= std::pair(sums, bytes)) return;
    best_ = {true, sums, bytes, std::move(decision)};
  }

  // Considers reduce-scattering a partial operand along the dimension in which the data are split, if no other operand
  // tells how to split: the gradient of gathered keys and values.
  void consider_scattering(const ir::OpCall& call, std::span<const ir::ValueId> inputs, size_t operand) {
    if (best_.found) return;
    const ir::Type& sum = type(inputs[operand]);
    if (!sum.is_tensor()) return;
    // The numbers of samples and of positions may be equal, so begin behind dimension 0 when positions are split.
    for (size_t i = 0; i < sum.dims.size(); ++i) {
      const size_t dim = split_.dim > 0 ? (i + 1) % sum.dims.size() : i;
      if (sum.dims[dim] == size_) consider(call, inputs, operand, Layout::split(static_cast<int32_t>(dim), blocks_));
    }
  }

  bool has(ir::ValueId id, const Layout& layout) const {
    const auto& known = at_hand_[ir::index(id)];
    return plan_.layouts[ir::index(id)] == layout || std::find(known.begin(), known.end(), layout) != known.end();
  }

  double bytes_for(std::span<const ir::ValueId> inputs, const Decision& decision) const {
    double bytes = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || has(inputs[i], decision.inputs[i])) continue;
      if (experts_[ir::index(inputs[i])]) return std::numeric_limits<double>::infinity();  // experts are never moved
      bytes += conversion_bytes(plan_.layouts[ir::index(inputs[i])], decision.inputs[i], type(inputs[i]), ways_);
    }
    return bytes;
  }

  int64_t expert_weight(const ir::Op& op, const ir::OpCall& call, std::span<const ir::ValueId> inputs) const {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || !undecided_[ir::index(inputs[i])]) continue;
      const int32_t dim = expert_dimension(call, i);
      if (dim < 0) continue;
      const int64_t count = nth(type(inputs[i]).dims, dim);
      if (count % ways_ == 0) return static_cast<int64_t>(i);
      throw RefusalError(Cause::program, ir::describe(module_, function_, op),
                         "expert parallelism of " + std::to_string(ways_) + " does not divide the " +
                             std::to_string(count) + " experts; use a divisor of it");
    }
    return -1;
  }

  Decision with_experts(const ir::Op& op, const ir::OpCall& call, size_t weight) {
    const ir::ValueId id = function_.inputs(op)[weight];
    std::vector<Layout> arriving(call.inputs.size());
    arriving[weight]        = Layout::split(expert_dimension(call, weight));
    experts_[ir::index(id)] = true;
    return decide(call, arriving, ways_);
  }

  void settle(const ir::Op& op, std::span<const ir::ValueId> inputs, const std::vector<Layout>& made,
              const Decision& decision) {
    bool experts = !inputs.empty() && (op.def->role == ir::Role::view || op.def->copy == ir::Copy::converted);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none) continue;
      const size_t value = ir::index(inputs[i]);
      // Weights of experts, and their optimizer states, are stored split. Other weights are stored whole and sliced
      // where they are used.
      if (undecided_[value] && (experts_[value] || op.def->role == ir::Role::optimizer))
        plan_.layouts[value] = decision.inputs[i];
      undecided_[value] = false;
      if (plan_.layouts[value] != decision.inputs[i] && !has(inputs[i], decision.inputs[i]))
        at_hand_[value].push_back(decision.inputs[i]);
      experts = experts && (experts_[value] || made[i].is_whole());
    }
    const bool any = std::any_of(inputs.begin(), inputs.end(),
                                 [&](ir::ValueId id) { return id != ir::ValueId::none && experts_[ir::index(id)]; });
    for (uint32_t i = 0; experts && any && i < op.result_count; ++i) experts_[op.first_result + i] = true;
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const int ways_;
  const DataSplit& split_;
  const SplitVariants& variants_;
  const size_t variant_;
  DataSplitPlan plan_;
  int64_t blocks_;                            // number of blocks of the dimension that is split
  int64_t size_ = 0;                          // size of that dimension
  std::vector<std::vector<Layout>> at_hand_;  // per value: the layouts to which it has been converted
  std::vector<bool> undecided_;               // per value: a weight that no op has used so far
  std::vector<bool> gathers_;                 // per op: as expert_gathers says, where experts are split
  std::vector<bool> experts_;                 // per value: weights of experts, also reshaped or converted
  Best best_;
};

}  // namespace

DataSplitPlan plan_data_split(const ir::Module& module, const interpret::Values<interpret::Mixed>& values, int ways,
                              const DataSplit& split, const SplitVariants& variants, size_t variant) {
  return DataSplitPlanner(module, values, ways, split, variants, variant).run();
}

}  // namespace foreflow::transform
