#include "transform/pipeline/phases/anchors.h"

#include <algorithm>
#include <span>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::transform {
namespace {

constexpr int32_t kNone = -1;

bool gathers(const ir::Op& op) { return op.def->communication == ir::Communication::all_gather; }

// The forward ops that compute or read each value, ascending, and those that read what an all-gather made of it. The
// value is available ("at hand") in their stages. Constants are at hand everywhere and have none.
class AtHand {
 public:
  AtHand(const ir::Function& function, const std::vector<StagePhase>& phases, const std::vector<int32_t>& ends,
         const std::vector<int32_t>& makers)
      : makers_(makers), constant_(function.values.size()), first_(function.values.size() + 1) {
    for (size_t o = 0; o < function.ops.size(); ++o) {
      for (uint32_t i = 0; i < function.ops[o].result_count; ++i)
        constant_[function.ops[o].first_result + i] = phases[o] == StagePhase::anywhere;
    }
    visit(function, phases, ends, [this](size_t value, int32_t) { ++first_[value + 1]; });
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    ops_.resize(first_.back());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    visit(function, phases, ends, [&](size_t value, int32_t op) { ops_[next[value]++] = op; });
  }

  std::span<const int32_t> operator()(ir::ValueId id) const {
    const size_t value = ir::index(id);
    return {ops_.data() + first_[value], first_[value + 1] - first_[value]};
  }

  // The latest of these ops that is not after `op`; the earliest if all are; kNone if there are none.
  int32_t latest(ir::ValueId id, int32_t op) const {
    const auto all = (*this)(id);
    if (all.empty()) return kNone;
    const auto after = std::upper_bound(all.begin(), all.end(), op);
    return after == all.begin() ? *after : *std::prev(after);
  }

  // The same, but `op` where the next of them is nearer to it than the last. Layers share such a value, as positions or
  // a mask, and what reads it at `op` belongs to the layer of the next one.
  int32_t nearest(ir::ValueId id, int32_t op) const {
    const auto all   = (*this)(id);
    const auto after = std::upper_bound(all.begin(), all.end(), op);
    if (after == all.begin() || after == all.end()) return latest(id, op);
    return *after - op < op - *std::prev(after) ? op : *std::prev(after);
  }

 private:
  template <class F>
  void visit(const ir::Function& function, const std::vector<StagePhase>& phases, const std::vector<int32_t>& ends,
             F f) const {
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (phases[o] != StagePhase::forward) continue;
      const ir::Op& op = function.ops[o];
      for (const ir::ValueId id : function.inputs(op)) {
        if (id == ir::ValueId::none || constant_[ir::index(id)]) continue;
        f(ir::index(id), ends[o]);
        const int32_t gather = gather_of(function, id);
        if (gather < 0) continue;
        for (const ir::ValueId part : function.inputs(nth(function.ops, gather))) {
          if (part != ir::ValueId::none && !constant_[ir::index(part)]) f(ir::index(part), ends[o]);
        }
      }
      for (uint32_t i = 0; i < op.result_count; ++i) f(op.first_result + i, ends[o]);
    }
  }

  // The all-gather that made a value, or what the value is a Reshape of; -1: none.
  int32_t gather_of(const ir::Function& function, ir::ValueId id) const {
    int32_t maker = makers_[ir::index(id)];
    while (maker >= 0 && nth(function.ops, maker).def->sizes == ir::Sizes::shape) {
      const ir::ValueId of = function.inputs(nth(function.ops, maker))[0];
      maker                = of == ir::ValueId::none ? -1 : makers_[ir::index(of)];
    }
    return maker >= 0 && gathers(nth(function.ops, maker)) ? maker : -1;
  }

  const std::vector<int32_t>& makers_;
  std::vector<bool> constant_;
  std::vector<uint32_t> first_;
  std::vector<int32_t> ops_;
};

class Anchorer {
 public:
  Anchorer(const ir::Function& function, const std::vector<StagePhase>& phases, const std::vector<int32_t>& ends)
      : function_(function),
        phases_(phases),
        ends_(ends),
        makers_(ir::makers_of(function)),
        at_hand_(function, phases, ends, makers_),
        anchors_(function.ops.size(), kNone),
        gradient_(function.values.size(), kNone) {}

  std::vector<int32_t> run() {
    follow();
    let_views_follow();
    bring_gradients_home();
    return std::move(anchors_);
  }

 private:
  // Follows the backward pass, which goes from the last forward op to the first. The current position moves to an
  // earlier forward op when an op reads a forward value that is not at hand at the position.
  void follow() {
    int32_t current = kNone;
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (phases_[o] == StagePhase::forward) current = anchors_[o] = ends_[o];
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (sums_ranks(o)) pass_on(function_.ops[o]);
      if (phases_[o] != StagePhase::backward) continue;
      const ir::Op& op = function_.ops[o];
      int32_t anchor   = current;
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id == ir::ValueId::none) continue;
        const int32_t place = reads_result(op, id) ? nth(ends_, makers_[ir::index(id)]) : at_hand_.nearest(id, anchor);
        if (place != kNone) anchor = place;
      }
      anchor  = std::min(anchor, earliest_gradient(o));
      current = std::min(current, anchor);
      set(o, anchor);
    }
  }

  // Returns true if `id` is the result of the forward op whose gradient the op computes. The stages of its readers have
  // it at hand, too, but frameworks compute the gradient where the forward op ran.
  bool reads_result(const ir::Op& op, ir::ValueId id) const {
    const int32_t maker = makers_[ir::index(id)];
    if (maker < 0 || op.is_call() || op.def->gradient_of != ir::GradientOf::relu) return false;
    return nth(phases_, maker) == StagePhase::forward && nth(function_.ops, maker).operand_count == 1;
  }

  // Returns true if the op sums a gradient over ranks, once a step.
  bool sums_ranks(size_t o) const {
    const ir::Op& op = function_.ops[o];
    return phases_[o] == StagePhase::update && op.def->role == ir::Role::communication &&
           function_.inputs(op).size() == op.result_count;
  }

  void pass_on(const ir::Op& op) {
    const auto inputs = function_.inputs(op);
    for (uint32_t i = 0; i < op.result_count; ++i) gradient_[op.first_result + i] = gradient_[ir::index(inputs[i])];
  }

  void set(size_t o, int32_t anchor) {
    anchors_[o] = anchor;
    for (uint32_t i = 0; i < function_.ops[o].result_count; ++i) gradient_[function_.ops[o].first_result + i] = anchor;
  }

  int32_t earliest_gradient(size_t o) const {
    int32_t earliest = INT32_MAX;
    for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
      if (id != ir::ValueId::none && gradient_[ir::index(id)] != kNone)
        earliest = std::min(earliest, gradient_[ir::index(id)]);
    }
    return earliest;
  }

  // A Reshape of a gradient, or an all-gather of its parts.
  static bool is_view(const ir::Op& op) { return op.def->sizes == ir::Sizes::shape || gathers(op); }
  bool is_gathered(ir::ValueId id) const {
    const int32_t maker = makers_[ir::index(id)];
    return maker >= 0 && gathers(nth(function_.ops, maker));
  }

  // Moves a view of a gradient to the earlier stage that reads it, if that stage needs the gradient itself, too.
  // Otherwise both would be sent. A view of an all-gather moves in any case, so that the all-gather can follow.
  void let_views_follow() {
    std::vector<int32_t> earliest(function_.values.size(), INT32_MAX), latest(function_.values.size(), kNone);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (phases_[o] != StagePhase::backward) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ir::ValueId::none) earliest[ir::index(id)] = std::min(earliest[ir::index(id)], anchors_[o]);
      }
    }
    for (const ir::ValueId id : function_.results) latest[ir::index(id)] = INT32_MAX;
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op  = function_.ops[o];
      const auto inputs = function_.inputs(op);
      if (phases_[o] == StagePhase::backward && is_view(op) && reads_only_gradients(op)) {
        int32_t reader = kNone;
        for (uint32_t i = 0; i < op.result_count; ++i) reader = std::max(reader, latest[op.first_result + i]);
        const bool needed = std::all_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
          return id == ir::ValueId::none || earliest[ir::index(id)] <= reader || is_gathered(id);
        });
        if (reader != kNone && reader < anchors_[o] && needed) set(o, reader);
      }
      const int32_t here = phases_[o] == StagePhase::backward ? anchors_[o] : INT32_MAX;
      for (const ir::ValueId id : inputs) {
        if (id != ir::ValueId::none) latest[ir::index(id)] = std::max(latest[ir::index(id)], here);
      }
    }
  }

  // Some gradients of weights are computed from gradients alone, as that of a bias, which is the sum of the incoming
  // gradient. Such a gradient moves to the op that reads its weight, since the stage of that op gets the incoming
  // gradient anyway. The ops that it is computed from move along, if nothing else reads their results.
  void bring_gradients_home() {
    std::vector<int32_t> home(function_.values.size(), kUnread);
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op = function_.ops[o];
      if (op.def->role == ir::Role::optimizer) {
        find_homes(op, home);
        continue;
      }
      if (phases_[o] != StagePhase::backward && phases_[o] != StagePhase::update) continue;
      if (sums_ranks(o)) {
        const auto inputs = function_.inputs(op);
        for (uint32_t i = 0; i < op.result_count; ++i)
          read(home[ir::index(inputs[i])], std::min(home[op.first_result + i], kStays));
        continue;
      }
      const int32_t to = phases_[o] == StagePhase::backward && op.result_count == 1 ? home[op.first_result] : kStays;
      const bool goes  = to < kStays && reads_only_gradients(op);
      if (goes && to < anchors_[o]) set(o, to);
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id != ir::ValueId::none) read(home[ir::index(id)], goes ? anchors_[o] : kStays);
      }
    }
  }

  // An optimizer reads w1..wn, dw1..dwn, or w, dw and states.
  void find_homes(const ir::Op& op, std::vector<int32_t>& home) const {
    const auto inputs = function_.inputs(op);
    const size_t rows = inputs.size() == size_t{2} * op.result_count ? op.result_count : 1;
    for (size_t row = 0; row < rows; ++row) {
      const size_t gradient = ir::index(inputs[row + rows]);
      const int32_t reader  = gradient_[gradient] == kNone ? kNone : at_hand_.latest(inputs[row], gradient_[gradient]);
      read(home[gradient], reader == kNone ? kStays : reader);
    }
  }

  static void read(int32_t& home, int32_t at) { home = home == kUnread ? at : std::max(home, at); }

  bool reads_only_gradients(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](ir::ValueId id) { return id == ir::ValueId::none || at_hand_(id).empty(); });
  }

  static constexpr int32_t kUnread = INT32_MAX, kStays = INT32_MAX - 1;  // in place of an anchor

  const ir::Function& function_;
  const std::vector<StagePhase>& phases_;
  const std::vector<int32_t>& ends_;
  const std::vector<int32_t> makers_;
  const AtHand at_hand_;
  std::vector<int32_t> anchors_;   // per op
  std::vector<int32_t> gradient_;  // per value: the anchor of the backward op that made it
};

}  // namespace

std::vector<int32_t> anchors_of(const ir::Function& function, const std::vector<StagePhase>& phases,
                                const std::vector<int32_t>& ends) {
  return Anchorer(function, phases, ends).run();
}

}  // namespace foreflow::transform
