#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::add {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return wrapping(std::plus{}, x, y); };

}  // namespace

OpDef row() {
  OpDef row          = binary<kFormula, 1>("Add", "x + y");
  row.additive       = true;
  row.in_place       = InPlace::first;
  row.sums_operands  = true;
  row.adds_bias      = true;
  row.adjusts_scores = true;
  row.grad           = [](GradBuilder& builder) {
    for (size_t i = 0; i < 2; ++i) {
      if (builder.wanted(i)) set_broadcast_gradient(builder, i, builder.output_gradient(0));
    }
  };
  return row;
}

}  // namespace foreflow::ops::definitions::add
