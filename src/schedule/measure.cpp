#include "foreflow/schedule/measure.h"

#include <algorithm>
#include <map>

namespace foreflow::schedule {
namespace {

// From counts, not from summed slots: those carry the rounding of their start times.
double work(const Plan& plan, size_t device, const std::vector<Slot>& slots, const Costs& costs) {
  std::map<Task, double> count;  // of the tasks that take the same
  for (const Slot& slot : slots) ++count[{slot.task.phase, 0, costs.stages.empty() ? 0 : slot.task.chunk}];
  double sum = 0;
  for (const auto& [task, times] : count) sum += times * task_time(plan, costs, device, task);
  return sum;
}

bool gives_back(Phase phase) { return phase == Phase::backward || phase == Phase::weight_grad; }

int peak(const std::vector<Slot>& slots) {
  int held = 0, most = 0;
  for (const Slot& slot : slots) {
    if (slot.task.phase == Phase::forward) ++held;
    if (gives_back(slot.task.phase)) --held;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace

Measures measure(const Plan& plan, const Slots& slots, const Costs& costs) {
  Measures result;
  for (size_t device = 0; device < slots.size(); ++device) {
    const auto& row = slots[device];
    result.span_per_stage.push_back(row.empty() ? 0 : row.back().end - row.front().start);
    result.peak_in_flight.push_back(peak(row));
    result.ideal = std::max(result.ideal, work(plan, device, row, costs));
    if (!row.empty()) result.makespan = std::max(result.makespan, row.back().end);
  }
  if (result.makespan > 0) result.bubble_fraction = std::max(0.0, 1 - result.ideal / result.makespan);
  return result;
}

}  // namespace foreflow::schedule
