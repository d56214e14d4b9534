#include "schedule/alternate.h"
#include "schedule/put_off.h"

namespace foreflow::schedule::definitions::zb_h1 {
namespace {

// ZB-H1 (Zero Bubble Pipeline Parallelism, Qi et al., 2023; ZB1P): 1F1B whose weight gradients wait, so that later
// devices, which begin later, have them left to do while earlier ones finish. A third of the bubble of 1F1B where
// forward, input and weight gradient take as long as each other, as here, and what the first device held of activations
// is held by all.
//
//   stage 0 | F0 F1 F2 F3 .. .. .. I0 W0 F4 I1 W1 F5 I2 W2 F6 I3 W3 F7 I4 W4 I5 W5 I6 W6 I7 W7
//   stage 1 | .. F0 F1 F2 .. .. I0 F3 I1 W0 F4 I2 W1 F5 I3 W2 F6 I4 W3 F7 I5 W4 I6 W5 I7 W6 W7
//   stage 2 | .. .. F0 F1 .. I0 F2 I1 F3 I2 W0 F4 I3 W1 F5 I4 W2 F6 I5 W3 F7 I6 W4 I7 W5 W6 W7
//   stage 3 | .. .. .. F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 F6 I6 W3 F7 I7 W4 W5 W6 W7
int warm_up(const Size& size, int device) { return size.devices - 1 - device; }

Order order(const Size& size) {
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    order.push_back(put_off_weight_grads(alternate(size.microbatches, warm_up(size, device)), device));
  }
  return order;
}

int peak_live(const Size& size, int device) {
  return alternate_peak(size.microbatches, warm_up(size, device) + device);
}

}  // namespace

ScheduleDef row() {
  return {.name            = "zb_h1",
          .doc             = "1f1b with weight gradients later; a third of its bubble for its memory",
          .splits_backward = true,
          .order           = order,
          .peak_live       = peak_live};
}

}  // namespace foreflow::schedule::definitions::zb_h1
