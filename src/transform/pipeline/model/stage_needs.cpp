#include "transform/pipeline/model/stage_needs.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "foreflow/base/nth.h"
#include "transform/pipeline/cuts/stages.h"
#include "transform/pipeline/model/sent_values.h"
#include "transform/pipeline/model/task_peaks.h"
#include "transform/pipeline/weight_gradients/weight_gradients.h"

namespace foreflow::transform {
namespace {

size_t stage_of(const Cuts& cuts, int32_t anchor) {
  return static_cast<size_t>(std::lower_bound(cuts.begin(), cuts.end(), anchor) - cuts.begin());
}

std::vector<StagedOp> staged_by(const Cuts& cuts, const ModelledProgram& program, bool split_backward) {
  std::vector<StagedOp> staged;
  for (size_t o = 0; o < program.phases.size(); ++o) {
    const int32_t anchor = program.anchors[o];
    staged.push_back({program.phases[o], anchor < 0 ? 0 : static_cast<int>(stage_of(cuts, anchor))});
  }
  if (split_backward) mark_weight_gradients(program.function, program.values, staged);
  return staged;
}

bool is_same_task(const StagedOp& a, const StagedOp& b) { return a.stage == b.stage && a.phase == b.phase; }

// The task that ops of a phase belong to; null: they belong to none.
StageNeed::Task* task_of(StageNeed& need, StagePhase phase) {
  switch (phase) {
    case StagePhase::forward: return &need.forward;
    case StagePhase::backward: return &need.input_grad;
    case StagePhase::weight_grad: return &need.weight_grad;
    default: return nullptr;
  }
}

// Adds what ops and values need to the stages in which they are.
class StageSums {
 public:
  StageSums(const ModelledProgram& program, const ProgramNeeds& of, const Cuts& cuts,
            const std::vector<StagedOp>& staged)
      : program_(program),
        function_(program.function),
        of_(of),
        cuts_(cuts),
        staged_(staged),
        needs_(cuts.size() + 1) {}

  std::vector<StageNeed> run() && {
    const std::vector<int32_t> messages = messages_awaited();
    add_tasks(messages);
    add_weights();
    add_weights_read();
    add_terms();
    const StagedProgram staged{function_,   staged_,  program_.values,      program_.makers, of_.weights.gradients,
                               of_.seconds, messages, program_.represented, program_.parts,  program_.devices};
    add_sent(sent_values(staged, needs_.size()));
    auto shared  = shared_gradients(staged, of_.weights.terms, needs_.size());
    auto trained = trained_reads(staged, needs_.size());
    for (size_t stage = 0; stage < needs_.size(); ++stage) {
      needs_[stage].shared  = std::move(shared[stage]);
      needs_[stage].trained = std::move(trained[stage]);
    }
    add_held_for_weights();
    add_kept();
    add_working_sets();
    add_task_peaks(&StageNeed::peaks, of_.live);
    add_task_peaks(&StageNeed::peaks_in_parts, of_.live_in_parts);
    return std::move(needs_);
  }

 private:
  StageNeed& at(int32_t anchor) { return needs_[stage_of(cuts_, anchor)]; }
  StageNeed& need_of(const StagedOp& op) { return nth(needs_, op.stage); }

  // Per op: the number of its message, as it is where the op after it is in the same task or not.
  std::vector<int32_t> messages_awaited() const {
    std::vector<int32_t> messages = of_.messages.of_op;
    for (size_t o = 0; o < staged_.size(); ++o) {
      const bool last = o + 1 == staged_.size() || !is_same_task(staged_[o], staged_[o + 1]);
      if (last && of_.messages.not_awaited[o] >= 0) messages[o] = of_.messages.not_awaited[o];
    }
    return messages;
  }

  void add_tasks(const std::vector<int32_t>& messages) {
    for (StageNeed& need : needs_) {
      for (StageNeed::Task* task : {&need.forward, &need.input_grad, &need.weight_grad})
        task->messages.resize(of_.messages.distinct.size());
    }
    for (size_t o = 0; o < staged_.size(); ++o) {
      StageNeed::Task* task = task_of(need_of(staged_[o]), staged_[o].phase);
      if (task == nullptr) continue;
      task->compute += of_.seconds[o];
      if (messages[o] >= 0) ++nth(task->messages, messages[o]);
    }
  }

  void add_sent(SentValues sent) {
    for (size_t stage = 0; stage < needs_.size(); ++stage) {
      needs_[stage].to_next     = std::move(sent.to_next[stage]);
      needs_[stage].to_previous = std::move(sent.to_previous[stage]);
    }
  }

  void add_weights() {
    for (const StageWeights::Need& weight : of_.weights.needs) {
      StageNeed& need = at(weight.anchor);
      need.weights += weight.weight;
      need.states += weight.states;
      need.gradients += weight.gradient;
      need.update += weight.update;
      need.accumulation += weight.accumulate;
    }
  }

  void add_weights_read() {
    std::set<std::tuple<StagePhase, int, ir::ValueId>> seen;
    for (size_t o = 0; o < staged_.size(); ++o) {
      const auto [phase, stage] = staged_[o];
      if (phase != StagePhase::forward && phase != StagePhase::backward) continue;
      StageNeed& need = need_of(staged_[o]);
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (is_trained(id) && seen.emplace(phase, stage, id).second)
          (phase == StagePhase::forward ? need.read_forward : need.read_backward) += program_.bytes_of(ir::index(id));
      }
    }
  }
  bool is_trained(ir::ValueId id) const {
    const std::vector<bool>& trained = of_.weights.is_trained;
    return id != ir::ValueId::none && ir::index(id) < trained.size() && trained[ir::index(id)];
  }

  void add_terms() {
    for (const auto& [gradient, terms] : of_.weights.terms) {
      for (const size_t term : terms)
        at(nth(program_.anchors, program_.makers[term])).accumulation_of_terms += of_.weights.accumulates.at(term);
    }
    for (StageNeed& need : needs_) need.accumulation += need.accumulation_of_terms;
  }

  // Adds StageNeed::held_for_weights, if backward passes are split.
  void add_held_for_weights() {
    std::vector<bool> seen(function_.values.size());
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase != StagePhase::weight_grad) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none) continue;
        const size_t value  = program_.root_of(ir::index(id));
        const int32_t maker = program_.makers[value];
        if (!program_.is_stored(value) || seen[value] || maker < 0) continue;
        const StagedOp& made = nth(staged_, maker);
        const bool before    = made.phase == StagePhase::forward || made.phase == StagePhase::backward;
        if (!before || made.stage != staged_[o].stage) continue;
        seen[value] = true;
        need_of(made).held_for_weights += program_.bytes_of(value);
      }
    }
  }

  void add_kept() {
    for (const KeptActivation& kept : of_.kept) {
      if (stage_of(cuts_, kept.maker) == stage_of(cuts_, kept.reader)) at(kept.maker).held += kept.bytes;
    }
  }

  void add_working_sets() {
    for (const WorkingSet& set : of_.working_sets) {
      StageNeed& need                 = at(set.anchor);
      need.peaks.working_set          = std::max(need.peaks.working_set, set.whole);
      need.peaks_in_parts.working_set = std::max(need.peaks_in_parts.working_set, set.in_parts);
    }
  }

  void add_task_peaks(StageNeed::Peaks StageNeed::*of, const std::vector<Bytes>& bytes) {
    const auto peaks = task_peaks(function_, staged_, needs_.size(), program_.roots(), bytes);
    for (size_t stage = 0; stage < needs_.size(); ++stage) {
      StageNeed::Peaks& peaks_of = needs_[stage].*of;
      peaks_of.forward           = peaks[stage].forward;
      peaks_of.backward          = peaks[stage].backward;
      peaks_of.input_grad        = peaks[stage].input_grad;
    }
  }

  const ModelledProgram& program_;
  const ir::Function& function_;
  const ProgramNeeds& of_;
  const Cuts& cuts_;
  const std::vector<StagedOp>& staged_;
  std::vector<StageNeed> needs_;
};

}  // namespace

std::vector<StageNeed> needs_of_stages(const ModelledProgram& program, const ProgramNeeds& needs, const Cuts& cuts,
                                       bool split_backward) {
  return StageSums(program, needs, cuts, staged_by(cuts, program, split_backward)).run();
}

}  // namespace foreflow::transform
