#include <algorithm>
#include <tuple>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {
namespace {

// Forwards travel towards the last stage and backwards towards the first; at equal times the one that is further on its
// way goes first, so that a receiver takes its input before the sender turns to its next task.
bool before(const PlacedTask& a, const PlacedTask& b) {
  const auto key = [](const PlacedTask& placed) {
    const Phase phase = placed.task.phase;
    return std::tuple(placed.start, phase, phase == Phase::forward ? -placed.stage : placed.stage);
  };
  return key(a) < key(b);
}

}  // namespace

std::vector<PlacedTask> linearize(const Order& order) {
  const auto slots = play(order, {.forward = 1, .backward = 1, .hop = 0});
  std::vector<PlacedTask> line;
  for (size_t stage = 0; stage < slots.size(); ++stage) {
    for (const Slot& slot : slots[stage]) line.push_back({static_cast<int>(stage), slot.task, slot.start});
  }
  // The costs are positive, so a task starts later than everything that it depends on, and its stage's order is kept.
  std::sort(line.begin(), line.end(), before);
  return line;
}

}  // namespace foreflow::schedule
