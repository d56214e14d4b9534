#include "transform/pipeline/model/task_peaks.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace foreflow::transform {
namespace {

constexpr int32_t kUnread = -1;

class Player {
 public:
  Player(const ir::Function& function, const std::vector<StagedOp>& staged, size_t stages,
         const std::vector<size_t>& roots, const std::vector<Bytes>& bytes)
      : function_(function),
        roots_(roots),
        bytes_(bytes),
        tasks_(kPhases * stages),
        later_(function.values.size()),
        marks_(function.values.size()) {
    for (size_t o = 0; o < staged.size(); ++o) {
      const auto stage = static_cast<size_t>(staged[o].stage);
      if (staged[o].phase == StagePhase::forward) tasks_[stage * kPhases].push_back(o);
      if (staged[o].phase == StagePhase::backward) tasks_[stage * kPhases + 1].push_back(o);
      if (staged[o].phase == StagePhase::weight_grad) tasks_[stage * kPhases + 2].push_back(o);
    }
  }

  std::vector<TaskPeaks> run() {
    std::vector<TaskPeaks> peaks;
    for (size_t stage = 0; stage < tasks_.size() / kPhases; ++stage) {
      // From the last task to the first, so that it is known what later ones read.
      const std::vector<size_t>&input_grad = tasks_[stage * kPhases + 1], &weight_grad = tasks_[stage * kPhases + 2];
      std::vector<size_t> backward;
      std::merge(input_grad.begin(), input_grad.end(), weight_grad.begin(), weight_grad.end(),
                 std::back_inserter(backward));
      TaskPeaks all;
      ++stage_;
      all.backward = peak(backward);
      read_by(weight_grad);
      all.input_grad = weight_grad.empty() ? all.backward : peak(input_grad);
      read_by(input_grad);
      all.forward = peak(tasks_[stage * kPhases]);
      peaks.push_back(all);
    }
    return peaks;
  }

 private:
  static constexpr size_t kPhases = 3;

  template <class See>
  void each_input(size_t o, const See& see) const {
    for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
      if (id != ir::ValueId::none && bytes_[roots_[ir::index(id)]] > Bytes(0)) see(roots_[ir::index(id)]);
    }
  }

  void read_by(const std::vector<size_t>& task) {
    for (const size_t o : task) each_input(o, [&](size_t root) { later_[root] = stage_; });
  }

  // The facts about a root in the task at hand.
  struct Mark {
    uint32_t task = 0;        // for which this is so
    int32_t last  = kUnread;  // the last op of the task that reads it
    bool here     = false;    // in memory
    bool made     = false;    // by the task
  };
  // So that a task costs what it reads and makes, not what the program has.
  Mark& mark(size_t root) {
    Mark& mark = marks_[root];
    if (mark.task != task_) mark = {task_};
    return mark;
  }
  bool is_read_later(size_t root) const { return later_[root] == stage_; }

  Bytes peak(const std::vector<size_t>& task) {
    ++task_;
    for (const size_t o : task) each_input(o, [&](size_t root) { mark(root).last = static_cast<int32_t>(o); });
    // The values that are there when the task begins: those that it reads and does not make.
    Bytes live;
    for (const size_t o : task) {
      each_input(o, [&](size_t root) {
        Mark& mark = this->mark(root);
        if (mark.made || mark.here) return;
        mark.here = true;
        live += bytes_[root];
      });
      const ir::Op& op = function_.ops[o];
      for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value)
        mark(roots_[value]).made = true;
    }
    Bytes most = live;
    for (const size_t o : task) {
      const ir::Op& op = function_.ops[o];
      for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
        Mark& mark = this->mark(value);
        if (roots_[value] != value || mark.here || (mark.last == kUnread && !is_read_later(value))) continue;
        mark.here = true;
        live += bytes_[value];
      }
      each_input(o, [&](size_t root) {
        Mark& mark = this->mark(root);
        if (!mark.here || is_read_later(root) || mark.last != static_cast<int32_t>(o)) return;
        mark.here = false;
        live -= bytes_[root];
      });
      most = std::max(most, live);
    }
    return most;
  }

  const ir::Function& function_;
  const std::vector<size_t>& roots_;
  const std::vector<Bytes>& bytes_;         // of roots
  std::vector<std::vector<size_t>> tasks_;  // the ops of every phase of every stage
  uint32_t stage_ = 0, task_ = 0;           // that are at hand, from 1 on
  std::vector<uint32_t> later_;             // per root: the last stage of which a later task reads it
  std::vector<Mark> marks_;                 // likewise
};

}  // namespace

std::vector<TaskPeaks> task_peaks(const ir::Function& function, const std::vector<StagedOp>& staged, size_t stages,
                                  const std::vector<size_t>& roots, const std::vector<Bytes>& bytes) {
  return Player(function, staged, stages, roots, bytes).run();
}

}  // namespace foreflow::transform
