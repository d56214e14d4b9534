#include "search/bounds/composed_times.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "search/bounds/end_of_step.h"
#include "search/bounds/message_waits.h"

namespace foreflow::search {
namespace {

using transform::StageNeed;

// True where a device's last task completes the gradients of all that it has.
bool completes_with_last_task(const StagedStep& step) {
  return step.plan().size.chunks == 1 && !step.strategy.schedule->splits_backward &&
         !step.strategy.delay_weight_gradients;
}

// Delayed gradients of weights may fill gaps.
schedule::StageCosts without_delayed(schedule::StageCosts costs, const StagedStep& step) {
  if (step.strategy.delay_weight_gradients) costs.weight_grad = costs.accumulation = 0;
  return costs;
}

// The time of a device's weight gradients that are delayed.
double delayed_work(const StagedStep& step, const ExchangingTasks& tasks, size_t device) {
  double all = 0;
  if (!step.strategy.delay_weight_gradients) return all;
  std::vector<bool> adds(static_cast<size_t>(step.plan().size.chunks));
  for (const schedule::Task& task : step.plan().order[device]) {
    const bool whole = task.phase == schedule::Phase::backward || task.phase == schedule::Phase::weight_grad;
    if (!whole) continue;
    const schedule::StageCosts costs = tasks.costs(step.stage_of(device, task.chunk));
    all += costs.weight_grad + (nth(adds, task.chunk) ? costs.accumulation : 0);
    nth(adds, task.chunk) = true;
  }
  return all;
}

// When a device has done all.
Seconds end_of_device(const StagedStep& step, const ExchangingTasks& tasks, const EndOfStep& end_of_step, size_t device,
                      const std::vector<schedule::Slot>& slots) {
  double busy = 0;
  for (const schedule::Slot& slot : slots) busy += slot.end - slot.start;
  busy += delayed_work(step, tasks, device);
  const EndOfStep::Rest rest = end_of_step.rest(device);
  // Exchanges between the tasks may fill gaps.
  const Seconds filled(slots.front().start + busy + rest.before.value());
  const Seconds end(slots.back().end + (completes_with_last_task(step) ? rest.before.value() : 0));
  return std::max(end_of_step.beside(device, slots) + rest.after, std::max(filled, end) + rest.sums + rest.after);
}

}  // namespace

Seconds composed_time(const StagedStep& step, Plays& plays, const std::vector<double>& slow) {
  const TaskTimes alone(step, slow);
  const ExchangingTasks tasks(step, alone);
  schedule::Costs costs;
  for (size_t stage = 0; stage < step.demand.stages.size(); ++stage)
    costs.stages.push_back(without_delayed(tasks.costs(stage), step));
  add_hops(step, costs.stages);
  const schedule::Slots& slots = plays.of(step.known, costs);
  const EndOfStep end_of_step(step, tasks);
  Seconds last = end_of_step.shared(slots);
  for (size_t device = 0; device < slots.size(); ++device) {
    if (!slots[device].empty()) last = std::max(last, end_of_device(step, tasks, end_of_step, device, slots[device]));
  }
  return last;
}

Seconds time_of_tasks(const StagedStep& step, Plays& plays) {
  const TaskTimes tasks(step);
  schedule::Costs costs;
  for (const StageNeed& need : step.demand.stages) costs.stages.push_back(without_delayed(tasks.costs(need), step));
  add_hops(step, costs.stages);
  double last = 0;
  for (const auto& slots : plays.of(step.known, costs)) {
    if (!slots.empty()) last = std::max(last, slots.back().end);
  }
  return Seconds(last);
}

Seconds passage(const StagedStep& step) {
  const TaskTimes tasks(step);
  const bool chunks = step.strategy.tensor_chunks > 1;
  Seconds all;
  for (const StageNeed& need : step.demand.stages)
    all += chunks ? need.forward.compute + need.input_grad.compute : tasks.of(need.forward) + tasks.of(need.input_grad);
  return all;
}

}  // namespace foreflow::search
