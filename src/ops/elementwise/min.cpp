#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::min {

namespace {

constexpr auto kFormula = [](auto x, auto y) { return y < x || y != y ? y : x; };

}  // namespace

OpDef row() {
  OpDef row = binary<kFormula, 1, Accepts::numbers, Gives::same, Operands::any>(
      "Min", "the smallest of any number of operands");
  row.adjusts_scores = true;
  row.grad           = [](GradBuilder& builder) { grad_of_choice(builder, "Less"); };
  row.samples        = choice_samples;
  return row;
}

}  // namespace foreflow::ops::definitions::min
