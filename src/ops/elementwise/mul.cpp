#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::mul {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return wrapping(std::multiplies{}, x, y); };

}  // namespace

OpDef row() {
  OpDef row           = binary<kFormula, 1>("Mul", "x y");
  row.scales_elements = true;
  row.adjusts_scores  = true;
  row.grad            = [](GradBuilder& builder) {
    for (size_t i = 0; i < 2; ++i) {
      if (!builder.wanted(i)) continue;
      set_broadcast_gradient(builder, i,
                                        builder.emit("Mul", {}, {builder.output_gradient(0), builder.input(1 - i)})[0]);
    }
  };
  return row;
}

}  // namespace foreflow::ops::definitions::mul
