#include "schedule/alternate.h"

namespace foreflow::schedule::definitions::eager_1f1b {
namespace {

// Eager-1F1B (On Optimizing the Communication of Model Parallelism, 2022): 1F1B with twice the forwards ahead. The
// extra activations buy time in which a transfer between stages may be under way without anybody waiting for it.
// It is also the order that the DistIR authors' simulator really runs under the name 1F1B: its scheduler takes a
// backward whenever one is ready after a forward and never limits the warm-up, which comes to the same order, task by
// task, and to the peak of 2(P-r)-1 microbatches on stage r of P that was measured there. Backward = 2 forward.
//
//   stage 0 | F0 F1 F2 F3 .. .. .. .. .. .. B0--- .. B1--- .. B2--- .. B3---
//   stage 1 | .. F0 F1 F2 F3 .. .. .. B0--- .. B1--- .. B2--- .. B3---
//   stage 2 | .. .. F0 F1 F2 .. B0--- F3 B1--- .. B2--- .. B3---
//   stage 3 | .. .. .. F0 B0--- F1 B1--- F2 B2--- F3 B3---
int warm_up(const Size& size, int device) { return 2 * (size.devices - 1 - device); }

Order order(const Size& size) {
  Order order;
  for (int device = 0; device < size.devices; ++device) {
    order.push_back(alternate(size.microbatches, warm_up(size, device)));
  }
  return order;
}

int peak_live(const Size& size, int device) { return alternate_peak(size.microbatches, warm_up(size, device)); }

}  // namespace

ScheduleDef row() {
  return {.name      = "eager_1f1b",
          .doc       = "1f1b with twice the warm-up; hides hop latency, holds almost twice the microbatches",
          .order     = order,
          .peak_live = peak_live};
}

}  // namespace foreflow::schedule::definitions::eager_1f1b
