#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::atanh {

namespace {

constexpr auto kFormula = [](auto x) { return std::atanh(x); };

// dx/dy = 1 - x^2
constexpr auto kDivisor = [](GradBuilder& builder) {
  return emit_op(builder, "Sub", {emit_number(builder, 1), emit_square(builder, builder.input(0))});
};

}  // namespace

OpDef row() {
  OpDef row   = unary<kFormula, kTranscendental>("Atanh", "inverse hyperbolic tangent of x in (-1, 1)");
  row.grad    = divide_by_slope<kDivisor>;
  row.samples = unit_interval_samples;
  return row;
}

}  // namespace foreflow::ops::definitions::atanh
