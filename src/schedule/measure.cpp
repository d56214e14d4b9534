#include "foreflow/schedule/measure.h"

#include <algorithm>

namespace foreflow::schedule {
namespace {

// From counts, not from summed slots: those carry the rounding of their start times.
double work(const std::vector<Slot>& slots, const Costs& costs) {
  const auto is_forward = [](const Slot& slot) { return slot.task.phase == Phase::forward; };
  const auto forwards   = std::count_if(slots.begin(), slots.end(), is_forward);
  const auto backwards  = std::ssize(slots) - forwards;
  return static_cast<double>(forwards) * costs.forward + static_cast<double>(backwards) * costs.backward;
}

int peak(const std::vector<Slot>& slots) {
  int held = 0, most = 0;
  for (const Slot& slot : slots) {
    held += slot.task.phase == Phase::forward ? 1 : -1;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace

Measures measure(const std::vector<std::vector<Slot>>& slots, const Costs& costs) {
  Measures result;
  for (const auto& row : slots) {
    result.span_per_stage.push_back(row.empty() ? 0 : row.back().end - row.front().start);
    result.peak_in_flight.push_back(peak(row));
    result.ideal = std::max(result.ideal, work(row, costs));
    if (!row.empty()) result.makespan = std::max(result.makespan, row.back().end);
  }
  if (result.makespan > 0) result.bubble_fraction = std::max(0.0, 1 - result.ideal / result.makespan);
  return result;
}

}  // namespace foreflow::schedule
