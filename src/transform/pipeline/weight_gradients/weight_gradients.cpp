#include "transform/pipeline/weight_gradients/weight_gradients.h"

#include "foreflow/ir/builder.h"
#include "foreflow/transform/recompute.h"

namespace foreflow::transform {
namespace {

// The dependents of a value: nothing, one op that computes a gradient of a weight (its index), several such ops, or
// anything else.
constexpr int32_t kNothing = -1, kMore = -2, kSeveral = -3;

// Gathered rows of x are needed when the gradients of weights are.
bool gathers_rows(const ir::Op& op) { return !op.is_call() && op.def->communication == ir::Communication::all_gather; }

// Its result is kept rather than its operands, which may be several.
bool is_recomputed(const ir::Op& op) { return op.attributes->find(kRecompute) != nullptr && !gathers_rows(op); }

class WeightGradientMarker {
 public:
  WeightGradientMarker(const ir::Function& function, const interpret::Values<LaidOut>& values,
                       std::vector<StagedOp>& staged)
      : function_(function),
        values_(values),
        staged_(staged),
        reader_(function.values.size(), kNothing),
        stage_(function.values.size(), -1),
        updates_(function.values.size()) {}

  void run() {
    for (const ir::ValueId id : function_.results) {
      if (!values_[ir::index(id)].layout.is_partial()) reader_[ir::index(id)] = kMore;
    }
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op = function_.ops[o];
      if (staged_[o].phase == StagePhase::update) {
        for (const ir::ValueId id : function_.inputs(op)) {
          if (id != ir::ValueId::none) updates_[ir::index(id)] = true;
        }
      }
      if (staged_[o].phase == StagePhase::backward) visit(o);
      if (staged_[o].phase == StagePhase::transfer) {
        for (const ir::ValueId id : function_.inputs(op)) reader_[ir::index(id)] = kMore;
      }
    }
  }

 private:
  void visit(size_t o) {
    const ir::Op& op    = function_.ops[o];
    bool makes_gradient = true;
    int32_t depends     = kNothing;
    for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
      makes_gradient = makes_gradient && (values_[value].layout.is_partial() || updates_[value]);
      if (stage_[value] >= 0 && stage_[value] != staged_[o].stage) reader_[value] = kMore;
      depends = joined(depends, reader_[value]);
    }
    if (is_recomputed(op) || (depends == kSeveral && !gathers_rows(op))) depends = kMore;
    if (makes_gradient && depends != kMore) depends = static_cast<int32_t>(o);
    const bool is_late = depends >= 0 || depends == kSeveral;
    if (is_late) staged_[o].phase = StagePhase::weight_grad;
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id == ir::ValueId::none) continue;
      reader_[ir::index(id)] = joined(reader_[ir::index(id)], is_late ? depends : kMore);
      int32_t& stage         = stage_[ir::index(id)];
      if (stage >= 0 && stage != staged_[o].stage) reader_[ir::index(id)] = kMore;
      stage = staged_[o].stage;
    }
  }

  static int32_t joined(int32_t a, int32_t b) {
    if (a == kNothing || a == b) return b;
    if (b == kNothing) return a;
    return a == kMore || b == kMore ? kMore : kSeveral;
  }

  const ir::Function& function_;
  const interpret::Values<LaidOut>& values_;
  std::vector<StagedOp>& staged_;
  std::vector<int32_t> reader_;  // per value
  std::vector<int32_t> stage_;   // per value: of its backward readers; -1: none
  std::vector<bool> updates_;    // per value: the update reads it
};

}  // namespace

void mark_weight_gradients(const ir::Function& function, const interpret::Values<LaidOut>& values,
                           std::vector<StagedOp>& staged) {
  WeightGradientMarker(function, values, staged).run();
}

}  // namespace foreflow::transform
