#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::asinh {

namespace {

constexpr auto kFormula = [](auto x) { return std::asinh(x); };

// dx/dy = sqrt(x^2 + 1)
constexpr auto kDivisor = [](GradBuilder& builder) {
  return emit_op(builder, "Sqrt",
                 {emit_op(builder, "Add", {emit_square(builder, builder.input(0)), emit_number(builder, 1)})});
};

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Asinh", "inverse hyperbolic sine of x");
  row.grad  = divide_by_slope<kDivisor>;
  return row;
}

}  // namespace foreflow::ops::definitions::asinh
