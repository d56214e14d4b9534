#include "schedule/alternate.h"
#include "schedule/put_off.h"

namespace foreflow::schedule::definitions::zb_h2 {
namespace {

// ZB-H2 (Zero Bubble Pipeline Parallelism, Qi et al., 2023; ZB2P): eager 1F1B whose weight gradients wait longer still.
// No device idles from its first task to its last where forward, input and weight gradient take as long as each other,
// as here; but devices end as far apart as they begin, so an optimizer that waits for all of them must be put off.
// Holds twice what 1F1B does.
//
//   stage 0 | F0 F1 F2 F3 F4 F5 F6 I0 W0 F7 I1 W1 I2 W2 I3 W3 I4 W4 I5 W5 I6 W6 I7 W7
//   stage 1 | .. F0 F1 F2 F3 F4 I0 F5 I1 F6 I2 W0 F7 I3 W1 I4 W2 I5 W3 I6 W4 I7 W5 W6 W7
//   stage 2 | .. .. F0 F1 F2 I0 F3 I1 F4 I2 F5 I3 F6 I4 W0 F7 I5 W1 I6 W2 I7 W3 W4 W5 W6 W7
//   stage 3 | .. .. .. F0 I0 F1 I1 F2 I2 F3 I3 F4 I4 F5 I5 F6 I6 W0 F7 I7 W1 W2 W3 W4 W5 W6 W7
int warm_up(const Size& size, int device) { return 2 * (size.devices - 1 - device); }

Order order(const Size& size) {
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    order.push_back(put_off_weight_grads(alternate(size.microbatches, warm_up(size, device)), 2 * device));
  }
  return order;
}

int peak_live(const Size& size, int device) {
  return alternate_peak(size.microbatches, warm_up(size, device) + 2 * device);
}

}  // namespace

ScheduleDef row() {
  return {.name = "zb_h2",
          .doc  = "eager_1f1b with weight gradients later; no bubble inside a stage, twice the memory of 1f1b",
          .splits_backward = true,
          .order           = order,
          .peak_live       = peak_live};
}

}  // namespace foreflow::schedule::definitions::zb_h2
