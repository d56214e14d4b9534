#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::sub {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return wrapping(std::minus{}, x, y); };

}  // namespace

OpDef row() {
  OpDef row          = binary<kFormula, 1>("Sub", "x - y");
  row.additive       = true;
  row.adjusts_scores = true;
  row.grad           = [](GradBuilder& builder) {
    const int dy = builder.output_gradient(0);
    if (builder.wanted(0)) set_broadcast_gradient(builder, 0, dy);
    if (builder.wanted(1)) set_broadcast_gradient(builder, 1, builder.emit("Neg", {}, {dy})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::sub
