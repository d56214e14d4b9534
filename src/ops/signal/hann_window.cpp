#include "ops/signal/signal_window.h"

namespace foreflow::ops::definitions::hann_window {

namespace {

constexpr CosineSum kSum{0.5, 0.5, 0};

}  // namespace

OpDef row() {
  return window_row<kSum>("HannWindow", "size -> (1 - cos(2 pi n / N)) / 2, N = size where `periodic`, else size - 1");
}

}  // namespace foreflow::ops::definitions::hann_window
