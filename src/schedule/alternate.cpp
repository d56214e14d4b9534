#include "schedule/alternate.h"

#include <algorithm>

namespace foreflow::schedule {

std::vector<Task> alternate(int microbatches, int warm_up) {
  const int ahead = std::min(warm_up, microbatches);
  std::vector<Task> tasks;
  tasks.reserve(2 * static_cast<size_t>(microbatches));
  for (int m = 0; m < ahead; ++m) tasks.push_back({Phase::forward, m});
  for (int m = ahead; m < microbatches; ++m) {
    tasks.push_back({Phase::forward, m});
    tasks.push_back({Phase::backward, m - ahead});
  }
  for (int m = microbatches - ahead; m < microbatches; ++m) tasks.push_back({Phase::backward, m});
  return tasks;
}

int alternate_peak(int microbatches, int warm_up) { return std::min(microbatches, warm_up + 1); }

}  // namespace foreflow::schedule
