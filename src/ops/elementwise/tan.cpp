#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::tan {

namespace {

constexpr auto kFormula = [](auto x) { return std::tan(x); };

// dy/dx = 1 + y^2
constexpr auto kSlope = [](GradBuilder& builder) {
  return emit_op(builder, "Add", {emit_number(builder, 1), emit_square(builder, builder.output(0))});
};

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Tan", "tangent of x");
  row.grad  = scale_by_slope<kSlope>;
  return row;
}

}  // namespace foreflow::ops::definitions::tan
