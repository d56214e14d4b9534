#include "foreflow/schedule/measure.h"

#include <algorithm>
#include <array>

namespace foreflow::schedule {
namespace {

// From counts, not from summed slots: those carry the rounding of their start times.
double work(const Plan& plan, const std::vector<Slot>& slots, const Costs& costs) {
  std::array<double, 4> count{};
  for (const Slot& slot : slots) ++count[static_cast<size_t>(slot.task.phase)];
  const auto of = [&](Phase phase) { return count[static_cast<size_t>(phase)] * task_time(plan, costs, phase); };
  return of(Phase::forward) + of(Phase::backward) + of(Phase::input_grad) + of(Phase::weight_grad);
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
  for (const auto& row : slots) {
    result.span_per_stage.push_back(row.empty() ? 0 : row.back().end - row.front().start);
    result.peak_in_flight.push_back(peak(row));
    result.ideal = std::max(result.ideal, work(plan, row, costs));
    if (!row.empty()) result.makespan = std::max(result.makespan, row.back().end);
  }
  if (result.makespan > 0) result.bubble_fraction = std::max(0.0, 1 - result.ideal / result.makespan);
  return result;
}

}  // namespace foreflow::schedule
