#include "ops/signal/signal_window.h"

namespace foreflow::ops::definitions::blackman_window {

namespace {

constexpr CosineSum kSum{0.42, 0.5, 0.08};

}  // namespace

OpDef row() {
  return window_row<kSum>(
      "BlackmanWindow",
      "size -> 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N), N = size where `periodic`, else size - 1");
}

}  // namespace foreflow::ops::definitions::blackman_window
