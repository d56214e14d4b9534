#include <algorithm>

#include "schedule/steps.h"

namespace foreflow::schedule::definitions::zb_v {
namespace {

// ZB-V (Pipeline Parallelism with Controllable Memory, Qi et al., 2024; ScheduleZBVZeroBubble in PyTorch): two chunks a
// device, down the devices and up again, so that the first device also has the loss: microbatches come back early, and
// no device idles from its first task to its last where forward, input and weight gradient take as long as each other,
// as here, in the memory of 1F1B. Fewer than 2P-1 microbatches leave gaps. A prime is chunk 1.
//
//   device 0 | F0- F1- F2- F0' I0' W0' F1' I1' W1' F3- I0- W0- F2' I2' W2' I1- W1- F3' I3' W3' I2- W2- I3- W3-
//   device 1 | ... F0- F0' F1- F1' I0' W0' F2- I0- W0- F2' I1' W1' F3- I1- W1- F3' I2' W2' I2- I3' I3- W2- W3' W3-
std::vector<Task> device_order(int devices, int device, int microbatches) {
  Steps steps;
  for (int i = 0; i < 2 * (devices - device) - 1; ++i) steps.forward(0);
  for (int i = 0; i < device; ++i) {
    steps.forward(1);
    steps.forward(0);
  }
  for (int i = 0; i < devices - device; ++i) {
    steps.forward(1);
    steps.input_grad(1);
    steps.weight_grad(1);
  }
  while (steps.forwards(1) < microbatches) {
    if (steps.forwards(0) < microbatches) steps.forward(0);
    for (const int chunk : {0, 1}) {
      if (chunk == 1) steps.forward(1);
      steps.input_grad(chunk);
      steps.weight_grad(chunk);
    }
  }
  for (int i = 0; i < device; ++i) {
    steps.input_grad(0);
    steps.input_grad(1);
  }
  for (int i = 0; i < devices - device; ++i) {
    steps.input_grad(0);
    steps.weight_grad(0);
  }
  for (const int chunk : {1, 0}) {
    while (steps.has_waiting(chunk)) steps.weight_grad(chunk);
  }
  return steps.tasks();
}

// With fewer microbatches than fill the devices, the tasks of those that there are, in the order for more.
Order order(const Size& size) {
  const int filled = std::max(size.microbatches, 2 * size.devices - 1);
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    order.push_back(device_order(size.devices, device, filled));
    std::erase_if(order.back(), [&](const Task& task) { return task.microbatch >= size.microbatches; });
  }
  return order;
}

// Few microbatches are all there in the first chunk before the first of the second, which come and go with a microbatch
// in flight for each device further from the turn.
int peak_live(const Size& size, int device) {
  return std::min({2 * size.devices, 2 * size.microbatches, size.microbatches + device + 1});
}

}  // namespace

ScheduleDef row() {
  return {.name            = "zb_v",
          .doc             = "zero bubble with two parts of the model a device in a V; the memory of 1f1b",
          .mapping         = StageMapping::vee,
          .chunks          = 2,
          .splits_backward = true,
          .order           = order,
          .peak_live       = peak_live};
}

}  // namespace foreflow::schedule::definitions::zb_v
