#include <fmt/core.h>

#include <algorithm>

#include "schedule/bidirectional.h"

namespace foreflow::schedule::definitions::dualpipe {
namespace {

// DualPipe (DeepSeek-V3, 2024; dualpipe.py): two pipes in opposite directions, as in Chimera, whose forwards and
// backwards overlap: a forward of one direction and a backward of the other are one cell (F&B), in which each computes
// while the other communicates, and which hands on the results of both at its end. Here a cell takes as long as its two
// halves. Every device has the weights of two stages. Backward = 2 forward; a prime is the up pipe.
//
//   device 0 | F0- F1- F2- F0' I0' W0' F1' F3-&B1'---- ... F2'&B0----- B2'---- ... F3'&B1----- B3'---- I2- W2- I3- W3-
//   device 1 | ... F0- F0' F1- F1' F2- B0'---- F2'&B0----- F3-&B1'---- F3'&B1----- B2'---- B2----- ... I3' I3- W3' W3-
//   device 2 | ... F0' F0- F1' F1- F2' B0----- F2-&B0'---- F3'&B1----- F3-&B1'---- B2----- B2'---- ... I3- I3' W3- W3'
//   device 3 | F0' F1' F2' F0- I0- W0- F1- F3'&B1----- ... F2-&B0'---- B2----- ... F3-&B1'---- B3----- I2' W2' I3' W3'
Order order(const Size& size) {
  Order order;
  const int half = size.devices / 2;
  for (int device = 0; device < size.devices; ++device) {
    const bool first = device < half;
    order.push_back(eight_steps({.reach    = half,
                                 .position = std::min(device, size.devices - 1 - device),
                                 .near     = first ? 0 : 1,
                                 .far      = first ? 1 : 0},
                                size.microbatches / 2));
  }
  return order;
}

int peak_live(const Size& size, int /*device*/) { return size.devices + 1; }

std::string refuse(const Size& size) {
  if (size.devices % 2 != 0) {
    return fmt::format("dualpipe needs an even number of stages, for its two directions to meet; use {}",
                       size.devices == 1 ? "2" : fmt::format("{} or {}", size.devices - 1, size.devices + 1));
  }
  if (size.microbatches % 2 == 0 && size.microbatches >= 2 * size.devices) return "";
  return fmt::format("dualpipe needs an even number of microbatches, at least twice the {} stages, not {}; use {}",
                     size.devices, size.microbatches,
                     std::max(2 * size.devices, size.microbatches + size.microbatches % 2));
}

}  // namespace

ScheduleDef row() {
  return {.name            = "dualpipe",
          .doc             = "two pipes in opposite directions that overlap forwards and backwards; the weights twice",
          .mapping         = StageMapping::mirrored,
          .chunks          = 2,
          .splits_backward = true,
          .refuse          = refuse,
          .order           = order,
          .peak_live       = peak_live};
}

}  // namespace foreflow::schedule::definitions::dualpipe
