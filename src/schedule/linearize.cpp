#include <algorithm>
#include <tuple>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule {
namespace {

// Forwards travel towards the last stage and backwards towards the first; at equal times the one that is further on its
// way goes first, so that a receiver takes its input before the sender turns to its next task.
bool before(const PlacedTask& a, const PlacedTask& b) {
  const auto key = [](const PlacedTask& placed) {
    const Phase phase = placed.task.phase;
    const int rank    = phase == Phase::forward ? 0 : phase == Phase::weight_grad ? 2 : 1;
    return std::tuple(placed.start, rank, phase == Phase::forward ? -placed.stage : placed.stage, placed.device);
  };
  return key(a) < key(b);
}

bool splits(const Plan& plan) {
  return std::any_of(plan.order.begin(), plan.order.end(), [](const auto& tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.phase == Phase::weight_grad; });
  });
}

}  // namespace

std::vector<PlacedTask> linearize(const Plan& plan) {
  // A unit for each task of a chunk, so that tasks which start together do so exactly.
  const int chunks  = plan.size.chunks / plan.pipes();
  const double unit = chunks, half = splits(plan) ? unit : unit / 2;
  const Slots slots = play(plan, {.forward = unit, .input_grad = half, .weight_grad = half, .hop = 0});
  std::vector<PlacedTask> line;
  for (size_t d = 0; d < slots.size(); ++d) {
    const int device = static_cast<int>(d);
    for (const Slot& slot : slots[d])
      line.push_back({device, plan.stage_of(device, slot.task.chunk), slot.task, slot.start});
  }
  // The costs are positive, so a task starts later than everything that it depends on, and its device's order is kept.
  std::sort(line.begin(), line.end(), before);
  return line;
}

}  // namespace foreflow::schedule
