#include "transform/replica/gather_windows.h"

#include <algorithm>
#include <set>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/transform/recompute.h"
#include "transform/replica/gradient_parts.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// A unit stays if at most this many others are used between two uses of it: gradients of neighbours interleave.
constexpr size_t kOthers = 1;

struct Use {
  Position at;
  size_t scope;  // the call, or behind all ops of the entry the phase of what is outside calls
  size_t weight;
  int64_t repeats = 0;  // the segment of which it computes something again; 0: none
};

class GatherPlanner {
 public:
  GatherPlanner(const ir::Module& module, const LayoutInterpretation& layouts,
                const std::vector<TrainedWeight>& weights, Bytes limit, const std::vector<size_t>& blocks, bool keeps)
      : module_(module),
        entry_(module.entry()),
        layouts_(layouts),
        weights_(weights),
        limit_(limit),
        blocks_(blocks),
        keeps_(keeps) {}

  std::vector<Window> run() {
    find_uses();
    std::vector<Window> windows;
    for (const auto& [kind, uses] : uses_) {
      for (Window& window : windows_of(kind.first, uses)) windows.push_back(std::move(window));
    }
    std::stable_sort(windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    return windows;
  }

 private:
  const interpret::Values<LaidOut>& values() const { return layouts_.entry().values; }

  // Rank 0 stands for all ranks that hold copies: what one of them uses, all must have gathered.
  void find_uses() {
    std::map<ValueId, size_t> weight_of;
    for (const TrainedWeight& weight : weights_) {
      for (const size_t copy : weight.copies) weight_of[weights_[copy].weight] = weight.copies.front();
    }
    size_t phase = 0;
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      const ir::Op& op = entry_.ops[o];
      if (!op.is_call() && op.def->role == ir::Role::optimizer) continue;
      if (!op.is_call() && op.def->role == ir::Role::loss_gradient) phase = 1;
      const auto inputs = entry_.inputs(op);
      for (size_t i = 0; i < inputs.size(); ++i) {
        const auto found = weight_of.find(inputs[i]);
        if (found == weight_of.end()) continue;
        if (op.is_call()) {
          uses_inside(o, i, found->second);
        } else {
          add({{begin_of_group(entry_, values(), o), 0}, entry_.ops.size() + phase, found->second, repeats(op)});
        }
      }
    }
    for (auto& [kind, uses] : uses_)
      std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.at < b.at; });
  }

  void uses_inside(size_t o, size_t parameter, size_t weight) {
    const auto [found, fresh] = inside_.try_emplace(entry_.ops[o].callee);
    if (fresh) found->second = reads_of_parameters(o);
    for (const Read& read : found->second[parameter]) add({{o, read.at}, o, weight, read.repeats});
  }

  struct Read {
    size_t at;
    int64_t repeats;
  };
  static int64_t repeats(const ir::Op& op) { return op.attributes->int_or(kRecompute, 0); }

  // Per parameter of the function that op `o` calls: the ops that read it.
  std::vector<std::vector<Read>> reads_of_parameters(size_t o) const {
    const ir::Function& function = nth(module_.functions, entry_.ops[o].callee);
    const auto& inside           = nth(layouts_.instances, layouts_.entry().callee[o]).values;
    std::vector<std::vector<Read>> reads(function.parameters.size());
    for (size_t inner = 0; inner < function.ops.size(); ++inner) {
      for (const ValueId id : function.inputs(function.ops[inner])) {
        if (id != ValueId::none && ir::index(id) < reads.size())
          reads[ir::index(id)].push_back({begin_of_group(function, inside, inner), repeats(function.ops[inner])});
      }
    }
    return reads;
  }

  void add(Use use) { uses_[{ir::device_of(type_of(use.weight)), weights_[use.weight].ranks}].push_back(use); }
  const ir::Type& type_of(size_t weight) const { return values()[ir::index(weights_[weight].weight)].value.type; }

  // Per weight: the number of its unit, kNoOp where it has no use; and the weights of each.
  struct Units {
    std::vector<size_t> of;
    std::vector<std::vector<size_t>> members;
  };

  Units units_by_block(const std::vector<Use>& uses) const {
    Units units;
    units.of.resize(weights_.size(), kNoOp);
    std::map<std::pair<size_t, size_t>, size_t> number;  // by scope and block
    for (const Use& use : uses) {
      if (units.of[use.weight] != kNoOp) continue;
      const size_t unit = number.try_emplace({use.scope, blocks_[use.weight]}, units.members.size()).first->second;
      if (unit == units.members.size()) units.members.emplace_back();
      units.of[use.weight] = unit;
      units.members[unit].push_back(use.weight);
    }
    return units;
  }

  Units units_of(const std::vector<Use>& uses) const {
    if (!blocks_.empty()) return units_by_block(uses);
    Units units;
    units.of.resize(weights_.size(), kNoOp);
    Bytes size;
    size_t scope = SIZE_MAX;
    for (const Use& use : uses) {
      if (units.of[use.weight] != kNoOp) continue;
      const bool full = size >= limit_ || scope != use.scope;
      if (units.members.empty() || full) {
        units.members.emplace_back();
        size = Bytes(0);
      }
      scope = use.scope;
      size += ir::bytes_of(type_of(use.weight));
      units.of[use.weight] = units.members.size() - 1;
      units.members.back().push_back(use.weight);
    }
    return units;
  }

  // Per use: true if it computes a segment again whose gradients are the next to use the weight.
  static std::vector<bool> uses_before_gradients(const std::vector<Use>& uses) {
    std::vector<bool> awaits(uses.size());
    std::map<std::pair<size_t, size_t>, size_t> next;  // by scope and weight
    for (size_t u = uses.size(); u-- > 0;) {
      const auto [found, last] = next.try_emplace({uses[u].scope, uses[u].weight}, u);
      const size_t after       = std::exchange(found->second, u);
      if (last || uses[u].repeats == 0) continue;
      awaits[u] = uses[after].repeats == 0 || (uses[after].repeats == uses[u].repeats && awaits[after]);
    }
    return awaits;
  }

  // Per unit: the weights that were used to compute a segment again, and that its gradients are going to use.
  using Waiting = std::map<size_t, std::set<size_t>>;

  // Drops units of which several others were used since, unless gradients wait for them.
  static void leave(std::vector<size_t>& there, const Waiting& waiting) {
    if (there.size() <= 1 + kOthers) return;
    const auto recent = there.end() - (1 + kOthers);
    const auto gone   = std::remove_if(there.begin(), recent, [&](size_t unit) {
      const auto found = waiting.find(unit);
      return found == waiting.end() || found->second.empty();
    });
    there.erase(gone, recent);
  }

  std::vector<Window> windows_of(const ir::Device& device, const std::vector<Use>& uses) const {
    const Units units              = units_of(uses);
    const std::vector<bool> awaits = uses_before_gradients(uses);
    std::vector<Window> windows;
    std::vector<size_t> there;        // units, the one used last at the end
    std::map<size_t, size_t> opened;  // per unit its last window
    Waiting waiting;
    size_t scope = SIZE_MAX;
    for (size_t u = 0; u < uses.size(); ++u) {
      const Use& use   = uses[u];
      const bool stays = keeps_ && use.scope >= entry_.ops.size();  // outside of calls
      if (scope != use.scope) waiting.clear();
      if (scope != use.scope && !stays) there.clear();
      scope             = use.scope;
      const size_t unit = units.of[use.weight];
      const auto found  = std::find(there.begin(), there.end(), unit);
      if (found == there.end()) {
        opened[unit] = windows.size();
        windows.push_back({use.at, use.scope == use.at.op, {device}, units.members[unit]});
      } else {
        there.erase(found);
      }
      there.push_back(unit);
      if (use.repeats != 0) windows[opened.at(unit)].repeated.push_back(use.weight);
      if (awaits[u]) {
        waiting[unit].insert(use.weight);
      } else if (use.repeats == 0) {
        waiting[unit].erase(use.weight);
      }
      if (!stays) leave(there, waiting);
    }
    for (Window& window : windows) window = of_all_ranks(window);
    return windows;
  }

  // The window of rank 0 with the weights of all ranks.
  Window of_all_ranks(const Window& window) const {
    Window all{window.at, window.inside, {}, {}};
    for (size_t rank = 0; rank < weights_[window.weights.front()].ranks; ++rank) {
      for (const size_t weight : window.weights) all.weights.push_back(weights_[weight].copies[rank]);
      for (const size_t weight : window.repeated) all.repeated.push_back(weights_[weight].copies[rank]);
      all.ranks.push_back(ir::device_of(type_of(all.weights.back())));
    }
    std::sort(all.repeated.begin(), all.repeated.end());
    all.repeated.erase(std::unique(all.repeated.begin(), all.repeated.end()), all.repeated.end());
    return all;
  }

  const ir::Module& module_;
  const ir::Function& entry_;
  const LayoutInterpretation& layouts_;
  const std::vector<TrainedWeight>& weights_;
  const Bytes limit_;
  const std::vector<size_t>& blocks_;
  const bool keeps_;
  std::map<std::pair<ir::Device, size_t>, std::vector<Use>> uses_;  // by the device and the number of ranks
  std::map<int32_t, std::vector<std::vector<Read>>> inside_;        // per called function
};

}  // namespace

std::vector<Window> gather_windows(const ir::Module& module, const LayoutInterpretation& layouts,
                                   const std::vector<TrainedWeight>& weights, Bytes limit,
                                   const std::vector<size_t>& blocks, bool keeps) {
  return GatherPlanner(module, layouts, weights, limit, blocks, keeps).run();
}

}  // namespace foreflow::transform
