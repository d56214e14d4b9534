#include <fmt/core.h>

#include "schedule/bidirectional.h"

namespace foreflow::schedule::definitions::dualpipe_v {
namespace {

// DualPipeV (DeepSeek, 2025; dualpipev.py): DualPipe cut in half and folded into a V: the two directions are the two
// chunks of a device, on the way down and on the way up, so each device has the weights of its chunks only once.
// Backward = 2 forward; a prime is chunk 1.
//
//   device 0 | F0- F1- F2- F0' I0' W0' F1' F3-&B1'---- ... F2'&B0----- B2'---- ... F3'&B1----- B3'---- I2- W2- I3- W3-
//   device 1 | ... F0- F0' F1- F1' F2- B0'---- F2'&B0----- F3-&B1'---- F3'&B1----- B2'---- B2----- ... I3' I3- W3' W3-
Order order(const Size& size) {
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    order.push_back(eight_steps({.reach = size.devices, .position = device, .near = 0, .far = 1}, size.microbatches));
  }
  return order;
}

int peak_live(const Size& size, int /*device*/) { return 2 * size.devices + 1; }

std::string refuse(const Size& size) {
  if (size.microbatches >= 2 * size.devices) return "";
  return fmt::format("dualpipe_v needs at least twice as many microbatches as stages, not {} for {}; use {} or more",
                     size.microbatches, size.devices, 2 * size.devices);
}

}  // namespace

ScheduleDef row() {
  return {.name            = "dualpipe_v",
          .doc             = "dualpipe with two parts of the model a device in a V, the weights once",
          .mapping         = StageMapping::vee,
          .chunks          = 2,
          .splits_backward = true,
          .refuse          = refuse,
          .order           = order,
          .peak_live       = peak_live};
}

}  // namespace foreflow::schedule::definitions::dualpipe_v
