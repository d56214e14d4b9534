#include <cmath>

#include "ops/common/slope.h"

namespace foreflow::ops::definitions::atan {

namespace {

constexpr auto kFormula = [](auto x) { return std::atan(x); };

// dx/dy = 1 + x^2
constexpr auto kDivisor = [](GradBuilder& builder) {
  return emit_op(builder, "Add", {emit_number(builder, 1), emit_square(builder, builder.input(0))});
};

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Atan", "the angle in (-pi/2, pi/2) whose tangent is x");
  row.grad  = divide_by_slope<kDivisor>;
  return row;
}

}  // namespace foreflow::ops::definitions::atan
