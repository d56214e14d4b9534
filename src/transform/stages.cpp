#include "stages.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace foreflow::transform {
namespace {

// How far from the ideal cut a better place may lie, and when two places count as equally far: shares of one stage.
constexpr double kWindow = 0.35;
constexpr double kSame   = 0.01;

class Stager {
 public:
  Stager(const ir::Module& module, const ir::Function& function, const std::vector<LaidOut>& values, const std::vector<double>& shares)
      : module_(module),
        function_(function),
        values_(values),
        shares_(shares),
        stages_(static_cast<int>(shares.size())),
        staged_(function.ops.size()) {}

  std::vector<StagedOp> run() {
    mark_phases();
    cut_forward();
    follow_backward();
    return std::move(staged_);
  }

 private:
  const ir::Type& type(ir::ValueId id) const { return values_[ir::index(id)].value.type; }

  void mark_phases() {
    std::vector<StagePhase> made(function_.values.size(), StagePhase::anywhere);
    bool loss_seen = false;  // after it, what reads only forward values (a Transpose for a gradient) is backward work
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call()) throw Error(ir::describe(module_, function_, op), "pipeline works on a program without calls");
      StagePhase phase = op.def->role == ir::Role::optimizer       ? StagePhase::update
                         : op.def->role == ir::Role::loss_gradient ? StagePhase::backward
                         : is_placed(op)                           ? StagePhase::forward
                                                                   : StagePhase::anywhere;
      loss_seen = loss_seen || op.def->role == ir::Role::loss_gradient;
      if (loss_seen && phase == StagePhase::forward) phase = StagePhase::backward;
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id != ir::ValueId::none) phase = std::max(phase, made[ir::index(id)]);
      }
      if (adds_sums(op)) phase = StagePhase::update;
      for (uint32_t i = 0; i < op.result_count; ++i) made[op.first_result + i] = phase;
      staged_[o] = {phase, 0};
    }
  }

  bool is_placed(const ir::Op& op) const {
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id != ir::ValueId::none && ir::device_of(type(id)).placed()) return true;
    }
    return false;
  }

  // Sums over microbatches are added to each other once, when they are complete: the two gradients of an embedding that is
  // also the output layer.
  bool adds_sums(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return op.def->additive && op.def->role == ir::Role::compute && inputs.size() > 1 &&
           std::all_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) { return id != ir::ValueId::none && values_[ir::index(id)].layout.is_partial(); });
  }

  double flops(const ir::Op& op) const {
    std::vector<ir::Type> inputs, outputs;
    for (const ir::ValueId id : function_.inputs(op)) inputs.push_back(id == ir::ValueId::none ? ir::Type() : type(id));
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(type(function_.output(op, i)));
    const std::vector<const ir::Array*> known(inputs.size(), nullptr);
    return op.def->work({*op.def, *op.attributes, inputs, known, op.result_count}, outputs).flops.value();
  }

  // How many activations are alive after each forward op, and the arithmetic done until then. Not their bytes: those are
  // fewest inside a layer whose product is split, where nobody cuts.
  struct Place {
    size_t op;
    double done;
    int64_t crossing;
  };

  std::vector<Place> places() const {
    std::vector<size_t> last_use(function_.values.size());
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::forward) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ir::ValueId::none) last_use[ir::index(id)] = o;
      }
    }
    std::vector<int64_t> ends(function_.ops.size());
    std::vector<Place> all;
    int64_t alive = 0;
    double done   = 0;
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::forward) continue;
      const ir::Op& op = function_.ops[o];
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const size_t value = op.first_result + i;
        if (values_[value].value.known || last_use[value] <= o) continue;
        ++alive;
        ++ends[last_use[value]];
      }
      alive -= ends[o];
      done += flops(op);
      all.push_back({o, done, alive});
    }
    return all;
  }

  void cut_forward() {
    if (stages_ == 1) return;
    const std::vector<Place> all = places();
    const double total           = all.empty() ? 0 : all.back().done;
    const double stage           = total / stages_;
    const double whole           = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    double ideal                 = 0;
    std::vector<size_t> cuts;
    for (int s = 1; s < stages_; ++s) {
      ideal += total * shares_[static_cast<size_t>(s - 1)] / whole;
      const Place* best = nullptr;
      double best_far   = 0;
      for (const Place& place : all) {
        const double far = std::fabs(place.done - ideal);
        if (far > kWindow * stage || (!cuts.empty() && place.op <= cuts.back())) continue;
        const double rounded = std::floor(far / (kSame * stage));
        if (best == nullptr || place.crossing < best->crossing || (place.crossing == best->crossing && rounded <= best_far)) best = &place, best_far = rounded;
      }
      if (best == nullptr) {
        throw Error(module_.source + ": @" + function_.name, "cannot be cut into " + std::to_string(stages_) + " stages of such work; use fewer");
      }
      cuts.push_back(best->op);
    }
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase == StagePhase::forward) staged_[o].stage = static_cast<int>(std::lower_bound(cuts.begin(), cuts.end(), o) - cuts.begin());
    }
  }

  // The backward pass runs from the last stage to the first; it moves on when it meets a forward value that the current
  // stage neither made nor read.
  void follow_backward() {
    std::vector<std::set<int>> at(function_.values.size());
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::forward) continue;
      const ir::Op& op = function_.ops[o];
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id != ir::ValueId::none) at[ir::index(id)].insert(staged_[o].stage);
      }
      for (uint32_t i = 0; i < op.result_count; ++i) at[op.first_result + i].insert(staged_[o].stage);
    }
    int current = stages_ - 1;
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::backward) continue;
      int stage = current;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none || at[ir::index(id)].empty()) continue;
        const std::set<int>& here = at[ir::index(id)];
        auto lower                = here.upper_bound(stage);
        stage                     = lower == here.begin() ? *here.begin() : *--lower;
      }
      staged_[o].stage = stage;
      current          = std::min(current, stage);
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const std::vector<LaidOut>& values_;
  const std::vector<double>& shares_;
  const int stages_;
  std::vector<StagedOp> staged_;
};

}  // namespace

std::vector<StagedOp> assign_stages(const ir::Module& module, const ir::Function& function, const std::vector<LaidOut>& values,
                                    const std::vector<double>& shares) {
  return Stager(module, function, values, shares).run();
}

}  // namespace foreflow::transform
