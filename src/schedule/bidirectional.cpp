#include "schedule/bidirectional.h"

#include "schedule/steps.h"

namespace foreflow::schedule {
namespace {

template <class Run>
void times(int count, Run run) {
  for (int i = 0; i < count; ++i) run(i);
}

// Step 6, whose second half leaves weight gradients for later: from its middle on, where devices with an odd position
// begin with the backward of far and the others with that of near.
void drain(Steps& steps, const Between& device) {
  const int count  = device.position + 1;
  const int middle = 2 * (count / 2) + (device.position % 2 == 0 ? 1 : 0);
  times(2 * count, [&](int i) {
    const int chunk = i % 2 == 0 ? device.far : device.near;
    i < middle ? steps.backward(chunk) : steps.input_grad(chunk);
  });
}

}  // namespace

std::vector<Task> eight_steps(const Between& device, int microbatches) {
  const int reach = device.reach, position = device.position, near = device.near, far = device.far;
  const int inside = reach - position - 1;  // devices up to the middle
  Steps steps;
  times(2 * inside, [&](int) { steps.forward(near); });
  times(position + 1, [&](int) {
    steps.forward(near);
    steps.forward(far);
  });
  times(inside, [&](int) {
    steps.input_grad(far);
    steps.weight_grad();
    steps.forward(far);
  });
  times(microbatches - 2 * reach + position + 1, [&](int i) {
    // In the middle the first pair would wait for itself.
    if (i == 0 && inside == 0) {
      steps.forward(near);
      steps.backward(far);
    } else {
      steps.forward_and_backward(near, far);
    }
    steps.forward_and_backward(far, near);
  });
  times(inside, [&](int) {
    steps.backward(far);
    steps.forward_and_backward(far, near);
  });
  drain(steps, device);
  times(inside, [&](int) {
    steps.weight_grad();
    steps.input_grad(near);
  });
  times(position + 1, [&](int) { steps.weight_grad(); });
  return steps.tasks();
}

}  // namespace foreflow::schedule
