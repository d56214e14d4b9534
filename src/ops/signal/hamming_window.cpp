#include "ops/signal/signal_window.h"

namespace foreflow::ops::definitions::hamming_window {

namespace {

constexpr CosineSum kSum{25.0 / 46, 21.0 / 46, 0};

}  // namespace

OpDef row() {
  return window_row<kSum>("HammingWindow",
                          "size -> (25 - 21 cos(2 pi n / N)) / 46, N = size where `periodic`, else size - 1");
}

}  // namespace foreflow::ops::definitions::hamming_window
