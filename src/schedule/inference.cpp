#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule::definitions::inference {
namespace {

// Forwards only.
//
//   stage 0 | F0 F1 F2 F3
//   stage 1 | .. F0 F1 F2 F3
//   stage 2 | .. .. F0 F1 F2 F3
//   stage 3 | .. .. .. F0 F1 F2 F3
Order order(const Size& size) {
  std::vector<Task> tasks;
  for (int m = 0; m < size.microbatches; ++m) tasks.push_back({Phase::forward, m});
  return Order(static_cast<size_t>(size.devices), tasks);
}

int peak_live(const Size& size, int /*device*/) { return size.microbatches; }

}  // namespace

ScheduleDef row() {
  return {.name        = "inference",
          .doc         = "forwards only",
          .trains      = false,
          .posts_sends = false,
          .order       = order,
          .peak_live   = peak_live};
}

}  // namespace foreflow::schedule::definitions::inference
