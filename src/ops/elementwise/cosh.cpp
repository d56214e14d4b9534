#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::cosh {

namespace {

constexpr auto kFormula = [](auto x) { return std::cosh(x); };

// dy/dx = sinh x
constexpr auto kSlope = [](GradBuilder& builder) { return emit_op(builder, "Sinh", {builder.input(0)}); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Cosh", "hyperbolic cosine of x");
  row.grad  = scale_by_slope<kSlope>;
  return row;
}

}  // namespace foreflow::ops::definitions::cosh
