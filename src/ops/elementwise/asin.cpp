#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::asin {

namespace {

constexpr auto kFormula = [](auto x) { return std::asin(x); };

// dx/dy = sqrt(1 - x^2)
constexpr auto kDivisor = [](GradBuilder& builder) {
  return emit_op(builder, "Sqrt",
                 {emit_op(builder, "Sub", {emit_number(builder, 1), emit_square(builder, builder.input(0))})});
};

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, kTranscendental>("Asin", "the angle in [-pi/2, pi/2] whose sine is x");
  row.grad    = divide_by_slope<kDivisor>;
  row.samples = unit_interval_samples;
  return row;
}

}  // namespace foreflow::ops::definitions::asin
