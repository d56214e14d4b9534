#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule::definitions::gpipe {
namespace {

// GPipe (Huang et al., 2019): every forward, then every backward, microbatch 0 first in both; backward = 2 forward.
//
//   stage 0 | F0 F1 F2 F3 .. .. .. .. .. .. .. .. .. B0--- B1--- B2--- B3---
//   stage 1 | .. F0 F1 F2 F3 .. .. .. .. .. .. B0--- B1--- B2--- B3---
//   stage 2 | .. .. F0 F1 F2 F3 .. .. .. B0--- B1--- B2--- B3---
//   stage 3 | .. .. .. F0 F1 F2 F3 B0--- B1--- B2--- B3---
Order order(const Size& size) {
  std::vector<Task> tasks;
  tasks.reserve(2 * static_cast<size_t>(size.microbatches));
  for (int m = 0; m < size.microbatches; ++m) tasks.push_back({Phase::forward, m});
  for (int m = 0; m < size.microbatches; ++m) tasks.push_back({Phase::backward, m});
  return Order(static_cast<size_t>(size.devices), tasks);
}

int peak_live(const Size& size, int /*device*/) { return size.microbatches; }

}  // namespace

ScheduleDef row() {
  return {.name        = "gpipe",
          .doc         = "all forwards, then all backwards; holds every microbatch",
          .posts_sends = false,
          .order       = order,
          .peak_live   = peak_live};
}

}  // namespace foreflow::schedule::definitions::gpipe
