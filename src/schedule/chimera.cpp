#include <fmt/core.h>

#include <algorithm>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule::definitions::chimera {
namespace {

// Chimera (Li and Hoefler, 2021): two pipes in opposite directions, each with half of the microbatches, so that one
// pipe fills the gaps of the other; every device has the weights of two stages. Where both passes take one unit of
// time, stage s of a pipe of P works forward on its microbatch m in unit 2m + s and backward in unit 2m + 2P-1 - s,
// which never coincides with work of the other pipe when P is even. The next P microbatches follow 2P units later
// (direct concatenation). Backward = 2 forward; a prime is the up pipe.
//
//   device 0 | F0- F1- ... F0' B0'---- F1' B1'---- ... B0----- ... ... B1-----
//   device 1 | ... F0- F0' F1- F1' ... B0'---- B0----- B1'---- B1-----
//   device 2 | ... F0' F0- F1' F1- ... B0----- B0'---- B1----- B1'----
//   device 3 | F0' F1' ... F0- B0----- F1- B1----- ... B0'---- ... ... B1'----
struct Timed {
  int unit;
  Task task;
};

// The tasks of one chunk: those of stage `stage` of its pipe for the microbatches of the pipe.
void add_chunk(std::vector<Timed>& timed, int devices, int stage, int chunk, int microbatches) {
  for (int m = 0; m < microbatches; ++m) {
    const int in_turn = devices / 2;  // microbatches of a pipe in 2P units
    const int begin   = m / in_turn * 2 * devices + m % in_turn * 2;
    timed.push_back({begin + stage, {Phase::forward, m, chunk}});
    timed.push_back({begin + 2 * devices - 1 - stage, {Phase::backward, m, chunk}});
  }
}

int down(const Size& size) { return (size.microbatches + 1) / 2; }
int up(const Size& size) { return size.microbatches / 2; }

Order order(const Size& size) {
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    std::vector<Timed> timed;
    add_chunk(timed, size.devices, device, 0, down(size));
    add_chunk(timed, size.devices, size.devices - 1 - device, 1, up(size));
    std::sort(timed.begin(), timed.end(), [](const Timed& a, const Timed& b) { return a.unit < b.unit; });
    auto& tasks = order.emplace_back();
    for (const Timed& t : timed) tasks.push_back(t.task);
  }
  return order;
}

// All microbatches from the nearer end have arrived before the pipe from the farther end, whose microbatches are two
// units apart, has its first backward.
int peak_live(const Size& size, int device) {
  const int half    = size.devices / 2;
  const bool first  = device < half;
  const int near    = std::min(first ? down(size) : up(size), half);
  const int far     = std::min(first ? up(size) : down(size), half);
  const int to_near = first ? device : size.devices - 1 - device;
  return near + std::min(far, to_near + 1);
}

std::string refuse(const Size& size) {
  if (size.microbatches < 2) return "chimera sends microbatches through two pipes, and 1 is for one; use 2 or more";
  if (size.devices % 2 == 0) return "";
  return fmt::format("chimera needs an even number of stages, for its two directions to fill each other's gaps; use {}",
                     size.devices == 1 ? "2" : fmt::format("{} or {}", size.devices - 1, size.devices + 1));
}

}  // namespace

ScheduleDef row() {
  return {.name      = "chimera",
          .doc       = "two pipes in opposite directions, weights twice; with few microbatches half the bubble of 1f1b",
          .mapping   = StageMapping::mirrored,
          .chunks    = 2,
          .refuse    = refuse,
          .order     = order,
          .peak_live = peak_live};
}

}  // namespace foreflow::schedule::definitions::chimera
