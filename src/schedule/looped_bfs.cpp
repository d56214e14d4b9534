#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule::definitions::looped_bfs {
namespace {

// Breadth-first pipeline parallelism (Lamy-Poirier, 2023; LoopedBFS in PyTorch): GPipe over v chunks a device, P stages
// apart: all microbatches through the first chunk, then all through the second, and so on; backwards through the last
// chunk first. The time of interleaved 1F1B, for any number of microbatches; holds them all, but uses the weights of a
// chunk in one stretch. Backward = 2 forward; a prime is chunk 1.
//
//   device 0 | F0- F1- F0' F1' ... ... ... B0'---- B1'---- B0----- B1-----
//   device 1 | ... F0- F1- F0' F1' B0'---- B1'---- B0----- B1-----
Order order(const Size& size) {
  std::vector<Task> tasks;
  for (int chunk = 0; chunk < size.chunks; ++chunk) {
    for (int m = 0; m < size.microbatches; ++m) tasks.push_back({Phase::forward, m, chunk});
  }
  for (int chunk = size.chunks - 1; chunk >= 0; --chunk) {
    for (int m = 0; m < size.microbatches; ++m) tasks.push_back({Phase::backward, m, chunk});
  }
  return Order(static_cast<size_t>(size.devices), tasks);
}

int peak_live(const Size& size, int /*device*/) { return size.microbatches * size.chunks; }

}  // namespace

ScheduleDef row() {
  return {.name      = "looped_bfs",
          .doc       = "gpipe over several parts of the model a device, one part after the other",
          .chunks    = kAnyChunks,
          .order     = order,
          .peak_live = peak_live};
}

}  // namespace foreflow::schedule::definitions::looped_bfs
