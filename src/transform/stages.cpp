#include "stages.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "foreflow/transform/recompute.h"

namespace foreflow::transform {
namespace {

// How far from the ideal cut a better place may lie, and when two places count as equally far: shares of one stage.
constexpr double kWindow = 0.35;
constexpr double kSame   = 0.01;

class Stager {
 public:
  Stager(const ir::Module& module, const ir::Function& function, const interpret::Values<LaidOut>& values,
         const std::vector<double>& shares)
      : module_(module),
        function_(function),
        values_(values),
        shares_(shares),
        stages_(static_cast<int>(shares.size())),
        staged_(function.ops.size()) {}

  std::vector<StagedOp> run() {
    mark_phases();
    cut_forward();
    find_readers();
    follow_backward();
    bring_gradients_home();
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
                         : reads_parameter(op)                     ? StagePhase::forward
                                                                   : StagePhase::anywhere;
      loss_seen        = loss_seen || op.def->role == ir::Role::loss_gradient;
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id != ir::ValueId::none) phase = std::max(phase, made[ir::index(id)]);
      }
      if (loss_seen && phase == StagePhase::forward) phase = StagePhase::backward;
      if (op.attributes->find(kRecompute) != nullptr) phase = std::max(phase, StagePhase::backward);
      if (adds_sums(op)) phase = StagePhase::update;
      for (uint32_t i = 0; i < op.result_count; ++i) made[op.first_result + i] = phase;
      staged_[o] = {phase, 0};
    }
  }

  // What depends on no parameter is constant.
  bool reads_parameter(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
      return id != ir::ValueId::none && ir::index(id) < function_.parameters.size();
    });
  }

  // Sums over microbatches are added to each other once, when they are complete: the two gradients of an embedding that
  // is also the output layer.
  bool adds_sums(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return op.def->additive && op.def->role == ir::Role::compute && inputs.size() > 1 &&
           std::all_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
             return id != ir::ValueId::none && values_[ir::index(id)].layout.is_partial();
           });
  }

  double flops(const ir::Op& op) const {
    std::vector<ir::Type> inputs, outputs;
    for (const ir::ValueId id : function_.inputs(op)) inputs.push_back(id == ir::ValueId::none ? ir::Type() : type(id));
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(type(function_.output(op, i)));
    const std::vector<const ir::Array*> known(inputs.size(), nullptr);
    return op.def->work({*op.def, *op.attributes, inputs, known, op.result_count}, outputs).flops.value();
  }

  // How many activations are alive after each forward op, and the arithmetic done until then. Not their bytes: those
  // are fewest inside a layer whose product is split, where nobody cuts.
  struct Place {
    size_t op;
    double done;
    int64_t crossing;
  };

  // The copies of one op on the devices of a tensor-parallel group follow each other; a cut between them would tear the
  // group apart.
  bool within_group(size_t o, size_t next) const {
    const ir::Op &op = function_.ops[o], &after = function_.ops[next];
    if (op.def != after.def || op.result_count == 0 || after.result_count == 0) return false;
    return ir::device_of(values_[op.first_result].value.type) < ir::device_of(values_[after.first_result].value.type);
  }

  // What is done again in the backward pass has to be done by one stage.
  bool within_segment(size_t o, size_t next) const {
    const ir::Attribute *segment = function_.ops[o].attributes->find(kSegment), *after = function_.ops[next].attributes->find(kSegment);
    return segment != nullptr && after != nullptr && *segment == *after;
  }

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
    size_t latest = 0;
    int64_t alive = 0;
    double done   = 0;
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::forward) continue;
      const ir::Op& op = function_.ops[o];
      if (!all.empty() && all.back().op == latest && (within_group(latest, o) || within_segment(latest, o))) all.pop_back();
      latest = o;
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

  // Smaller is better; of equals the later place. Near the ideal cut the fewest tensors to send decide, then nearness;
  // elsewhere nearness alone.
  static std::tuple<bool, int64_t, double> rank(const Place& place, double ideal, double stage) {
    const double far = std::fabs(place.done - ideal);
    const bool away  = far > kWindow * stage;
    return {away, away ? 0 : place.crossing, std::floor(far / (kSame * stage))};
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
      for (const Place& place : all) {
        const bool usable = place.op != all.back().op && (cuts.empty() || place.op > cuts.back());
        if (usable && (best == nullptr || !(rank(*best, ideal, stage) < rank(place, ideal, stage)))) best = &place;
      }
      if (best == nullptr) {
        throw Error(module_.source + ": @" + function_.name,
                    "has too few ops for " + std::to_string(stages_) + " stages; use fewer");
      }
      cuts.push_back(best->op);
    }
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase == StagePhase::forward)
        staged_[o].stage = static_cast<int>(std::lower_bound(cuts.begin(), cuts.end(), o) - cuts.begin());
    }
  }

  // The backward pass runs from the last stage to the first; it moves on when it meets a forward value that the current
  // stage neither made nor read.
  void follow_backward() {
    int current = stages_ - 1;
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::backward) continue;
      int stage = current;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none || at_[ir::index(id)].empty()) continue;
        const std::set<int>& here = at_[ir::index(id)];
        auto lower                = here.upper_bound(stage);
        stage                     = lower == here.begin() ? *here.begin() : *--lower;
      }
      staged_[o].stage = stage;
      current          = std::min(current, stage);
    }
  }

  // A gradient made of gradients alone (of a bias: the sum of what arrives) belongs to the stage of its weight, which
  // gets what it needs anyway.
  void bring_gradients_home() {
    std::vector<size_t> maker(function_.values.size(), SIZE_MAX);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      for (uint32_t i = 0; i < function_.ops[o].result_count; ++i) maker[function_.ops[o].first_result + i] = o;
    }
    for (const ir::Op& op : function_.ops) {
      if (op.def->role != ir::Role::optimizer) continue;
      const auto inputs = function_.inputs(op);
      const size_t rows = inputs.size() == size_t{2} * op.result_count ? op.result_count : 1;
      for (size_t row = 0; row < rows; ++row) {
        const std::set<int>& home = at_[ir::index(inputs[row])];
        const size_t made         = maker[ir::index(inputs[row + rows])];
        if (home.empty() || made == SIZE_MAX || staged_[made].phase != StagePhase::backward ||
            !reads_only_gradients(made))
          continue;
        staged_[made].stage = *home.begin();
      }
    }
  }

  bool reads_only_gradients(size_t o) const {
    const auto inputs = function_.inputs(function_.ops[o]);
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](ir::ValueId id) { return id == ir::ValueId::none || at_[ir::index(id)].empty(); });
  }

  // Where each forward value is at hand: the stages that make or read it.
  void find_readers() {
    at_.resize(function_.values.size());
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (staged_[o].phase != StagePhase::forward) continue;
      const ir::Op& op = function_.ops[o];
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id != ir::ValueId::none) at_[ir::index(id)].insert(staged_[o].stage);
      }
      for (uint32_t i = 0; i < op.result_count; ++i) at_[op.first_result + i].insert(staged_[o].stage);
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<double>& shares_;
  const int stages_;
  std::vector<StagedOp> staged_;
  std::vector<std::set<int>> at_;  // per value; empty: not a forward value
};

}  // namespace

std::vector<StagedOp> assign_stages(const ir::Module& module, const ir::Function& function,
                                    const interpret::Values<LaidOut>& values, const std::vector<double>& shares) {
  return Stager(module, function, values, shares).run();
}

}  // namespace foreflow::transform
