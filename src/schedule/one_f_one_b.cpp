#include "schedule/alternate.h"

namespace foreflow::schedule::definitions::one_f_one_b {
namespace {

// 1F1B with a flush (PipeDream-flush, DAPPLE; Narayanan et al., 2021): a stage runs as many forwards ahead as there are
// stages after it, so that it holds no more microbatches than a gradient takes to come back; backward = 2 forward.
//
//   stage 0 | F0 F1 F2 F3 .. .. .. .. .. .. B0--- .. B1--- .. B2--- .. B3---
//   stage 1 | .. F0 F1 F2 .. .. .. .. B0--- F3 B1--- .. B2--- .. B3---
//   stage 2 | .. .. F0 F1 .. .. B0--- F2 B1--- F3 B2--- .. B3---
//   stage 3 | .. .. .. F0 B0--- F1 B1--- F2 B2--- F3 B3---
int warm_up(const Size& size, int device) { return size.devices - 1 - device; }

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
  return {.name        = "1f1b",
          .doc         = "one forward, one backward by turns; holds as many microbatches as stages remain",
          .posts_sends = false,
          .order       = order,
          .peak_live   = peak_live};
}

}  // namespace foreflow::schedule::definitions::one_f_one_b
