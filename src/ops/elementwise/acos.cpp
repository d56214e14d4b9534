#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::acos {

namespace {

constexpr auto kFormula = [](auto x) { return std::acos(x); };

// dx/dy = -sqrt(1 - x^2)
constexpr auto kDivisor = [](GradBuilder& builder) {
  const int root = emit_op(
      builder, "Sqrt", {emit_op(builder, "Sub", {emit_number(builder, 1), emit_square(builder, builder.input(0))})});
  return emit_op(builder, "Neg", {root});
};

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, kTranscendental>("Acos", "the angle in [0, pi] whose cosine is x");
  row.grad    = divide_by_slope<kDivisor>;
  row.samples = unit_interval_samples;
  return row;
}

}  // namespace foreflow::ops::definitions::acos
