#include "foreflow/schedule/task_sequence.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace foreflow::schedule {
namespace {

// The place in TaskSequence::hops of the input of a stage from the stage behind it, or from the one before it.
uint32_t hop_into(int stage, bool from_next) { return 1 + 2 * static_cast<uint32_t>(stage) + (from_next ? 1 : 0); }

// The kinds of tasks that take different times, by phase. Behind them those that add gradients of weights to the sum of
// the microbatches before.
constexpr std::array kPhases  = {Phase::forward, Phase::backward, Phase::input_grad, Phase::weight_grad};
constexpr size_t kBackwardSum = kPhases.size(), kWeightGradSum = kPhases.size() + 1, kKinds = kPhases.size() + 2;

}  // namespace

// Runs every device as far as its inputs allow, again and again until nothing moves: each task is visited once, and a
// device is visited again only after a neighbour has moved. Stages that follow each other are on neighbours, the last
// device being one of the first.
class SequenceFinder {
 public:
  SequenceFinder(const Plan& plan, TaskSequence& sequence)
      : plan_(plan),
        sequence_(sequence),
        chunks_(static_cast<size_t>(plan.size.chunks)),
        microbatches_(static_cast<size_t>(plan.size.microbatches)),
        next_(plan.order.size()) {
    const auto stages = static_cast<size_t>(plan.stages());
    stages_.resize(stages * static_cast<size_t>(plan.pipes()));
    for (size_t first = 0; first < stages_.size(); first += stages) {
      stages_[first].is_first             = true;
      stages_[first + stages - 1].is_last = true;
    }
    for (int device = 0; device < plan.size.devices; ++device) {
      for (int chunk = 0; chunk < plan.size.chunks; ++chunk)
        rows_.push_back(static_cast<size_t>(plan.pipe_of(chunk) * plan.stages() + plan.stage_of(device, chunk)));
    }
    for (size_t device = 0; device < plan.order.size(); ++device) check(device);
    forward_.assign(stages_.size() * microbatches_, kNone);
    backward_ = forward_;
  }

  void run() {
    const size_t devices = plan_.order.size();
    std::vector<size_t> waiting;
    for (size_t device = devices; device-- > 0;) waiting.push_back(device);
    while (!waiting.empty()) {
      const size_t device = waiting.back();
      waiting.pop_back();
      if (!advance(device)) continue;
      waiting.push_back((device + devices - 1) % devices);
      waiting.push_back((device + 1) % devices);
    }
    for (size_t device = 0; device < devices; ++device) {
      const auto& order = plan_.order[device];
      FOREFLOW_CHECK(next_[device] == order.size(),
                     fmt::format("device {} never gets to {}", device, label(order[next_[device]])));
    }
  }

 private:
  static constexpr int32_t kNone = -1;

  // A stage of a pipe.
  struct Stage {
    size_t device             = 0;
    bool is_first             = false;
    bool is_last              = false;
    bool has_weight_gradients = false;  // of a microbatch
  };

  void check(size_t device) {
    FOREFLOW_CHECK(device < static_cast<size_t>(plan_.size.devices), "as many devices as the size says");
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) stages_[row(device, chunk)].device = device;
    for (const Task& task : plan_.order[device]) {
      FOREFLOW_CHECK(task.microbatch >= 0 && task.microbatch < plan_.size.microbatches, "microbatches count from 0");
      FOREFLOW_CHECK(task.chunk >= 0 && task.chunk < plan_.size.chunks, "chunks count from 0");
    }
  }

  // Runs the tasks of a device that are ready; true when at least one ran.
  bool advance(size_t device) {
    const auto& order   = plan_.order[device];
    const size_t before = next_[device];
    while (next_[device] < order.size()) {
      size_t end = next_[device] + 1;
      while (end < order.size() && order[end].joined) ++end;
      if (!run_cell(device, end)) break;
    }
    return next_[device] > before;
  }

  // Runs the tasks up to `end` as one op, if all their inputs are there.
  bool run_cell(size_t device, size_t end) {
    const auto& order  = plan_.order[device];
    const size_t first = sequence_.steps_.size();
    for (size_t i = next_[device]; i < end; ++i) {
      if (add(device, order[i])) continue;
      sequence_.steps_.resize(first, {{}, 0, 0});
      return false;
    }
    for (size_t i = first; i < sequence_.steps_.size(); ++i) finish(i);
    next_[device] = end;
    return true;
  }

  // Adds the task to the sequence; false: one of its inputs has not been computed.
  bool add(size_t device, const Task& task) {
    const size_t here  = row(device, task.chunk);
    const Stage& stage = stages_[here];
    const auto own     = here * microbatches_ + static_cast<size_t>(task.microbatch);
    TaskSequence::Step step{task, static_cast<uint32_t>(device), 0};
    const auto await = [&](TaskSequence::Awaited& awaited, int32_t made, size_t by) {
      const bool hops = stages_[by].device != device;
      awaited         = {made, hops ? hop_into(plan_.stage_of(static_cast<int>(device), task.chunk), by > here) : 0};
      return made != kNone;
    };
    if (task.phase == Phase::weight_grad) {
      if (!await(step.one, backward_[own], here)) return false;
    } else if (task.phase == Phase::forward) {
      if (!stage.is_first && !await(step.one, forward_[own - microbatches_], here - 1)) return false;
    } else {
      if (!await(step.one, forward_[own], here)) return false;
      if (!stage.is_last && !await(step.another, backward_[own + microbatches_], here + 1)) return false;
    }
    sequence_.steps_.push_back(step);
    return true;
  }

  // Requires: all steps before it are finished.
  void finish(size_t number) {
    TaskSequence::Step& step = sequence_.steps_[number];
    const size_t here        = row(step.device, step.task.chunk);
    const auto own           = here * microbatches_ + static_cast<size_t>(step.task.microbatch);
    const Phase phase        = step.task.phase;
    if (phase == Phase::forward) forward_[own] = static_cast<int32_t>(number);
    if (phase == Phase::backward || phase == Phase::input_grad) backward_[own] = static_cast<int32_t>(number);
    step.time = static_cast<uint32_t>((step.device * chunks_ + static_cast<size_t>(step.task.chunk)) * kKinds +
                                      kind_of(phase, stages_[here]));
  }

  static size_t kind_of(Phase phase, Stage& stage) {
    if (phase != Phase::backward && phase != Phase::weight_grad) return static_cast<size_t>(phase);
    if (stage.has_weight_gradients) return phase == Phase::backward ? kBackwardSum : kWeightGradSum;
    stage.has_weight_gradients = true;
    return static_cast<size_t>(phase);
  }

  size_t row(size_t device, int chunk) const { return rows_[device * chunks_ + static_cast<size_t>(chunk)]; }

  const Plan& plan_;
  TaskSequence& sequence_;
  const size_t chunks_, microbatches_;
  std::vector<size_t> next_;   // of each device: the task that it runs next
  std::vector<size_t> rows_;   // of each chunk of each device: its stage in `stages_`
  std::vector<Stage> stages_;  // those of the down pipe, then those of the up pipe
  // By stage and microbatch: the step that made the activation, and the gradient; kNone: none so far.
  std::vector<int32_t> forward_, backward_;
};

TaskSequence::TaskSequence(const Plan& plan) : size_{plan.size, plan.mapping, {}} {
  for (const auto& order : plan.order) tasks_.push_back(order.size());
  SequenceFinder(plan, *this).run();
}

std::vector<double> TaskSequence::times(const Costs& costs) const {
  std::vector<double> times;
  for (size_t device = 0; device < tasks_.size(); ++device) {
    for (int chunk = 0; chunk < size_.size.chunks; ++chunk) {
      const auto time = [&](Phase phase) { return task_time(size_, costs, device, {phase, 0, chunk}); };
      for (const Phase phase : kPhases) times.push_back(time(phase));
      const auto stage = static_cast<size_t>(size_.stage_of(static_cast<int>(device), chunk));
      const double sum = costs.stages.empty() ? 0 : costs.stages[stage].accumulation;
      for (const Phase phase : {Phase::backward, Phase::weight_grad}) times.push_back(time(phase) + sum);
    }
  }
  return times;
}

std::vector<double> TaskSequence::hops(const Costs& costs) const {
  std::vector<double> hops = {0};
  for (int stage = 0; stage < size_.stages(); ++stage) {
    const auto own = static_cast<size_t>(stage);
    hops.push_back(costs.hop + (costs.stages.empty() ? 0 : costs.stages[own].from_previous));
    hops.push_back(costs.hop + (costs.stages.empty() ? 0 : costs.stages[own].from_next));
  }
  return hops;
}

template <typename See>
void TaskSequence::run(const Costs& costs, const See& see) const {
  const std::vector<double> times = this->times(costs), hops = this->hops(costs);
  std::vector<double> free(tasks_.size()), made(steps_.size());
  const auto arrival = [&](const Awaited& awaited) {
    if (awaited.step < 0) return 0.0;
    return made[static_cast<size_t>(awaited.step)] + hops[awaited.hop];
  };
  for (size_t first = 0, end = 0; first < steps_.size(); first = end) {
    double& time = free[steps_[first].device];
    for (end = first; end == first || (end < steps_.size() && steps_[end].task.joined); ++end)
      time = std::max({time, arrival(steps_[end].one), arrival(steps_[end].another)});
    for (size_t i = first; i < end; ++i) {
      const double start = time;
      time += times[steps_[i].time];
      see(steps_[i], start, time);
    }
    for (size_t i = first; i < end; ++i) made[i] = time;
  }
}

Slots TaskSequence::play(const Costs& costs) const {
  Slots slots(tasks_.size());
  for (size_t device = 0; device < tasks_.size(); ++device) slots[device].reserve(tasks_[device]);
  run(costs, [&](const Step& step, double start, double end) {
    slots[step.device].push_back({step.task, start, end});
  });
  return slots;
}

double TaskSequence::makespan(const Costs& costs) const {
  double last = 0;
  run(costs, [&](const Step&, double, double end) { last = std::max(last, end); });
  return last;
}

Slots play(const Plan& plan, const Costs& costs) { return TaskSequence(plan).play(costs); }

}  // namespace foreflow::schedule
