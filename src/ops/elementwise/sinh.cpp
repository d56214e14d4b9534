#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::sinh {

namespace {

constexpr auto kFormula = [](auto x) { return std::sinh(x); };

// dy/dx = cosh x
constexpr auto kSlope = [](GradBuilder& builder) { return emit_op(builder, "Cosh", {builder.input(0)}); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Sinh", "hyperbolic sine of x");
  row.grad  = scale_by_slope<kSlope>;
  return row;
}

}  // namespace foreflow::ops::definitions::sinh
