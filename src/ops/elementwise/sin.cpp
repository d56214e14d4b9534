#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::sin {

namespace {

constexpr auto kFormula = [](auto x) { return std::sin(x); };

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, kTranscendental>("Sin", "sine of x");
  // dx = dy cos(x)
  row.grad = [](GradBuilder& builder) {
    const int slope = emit_op(builder, "Cos", {builder.input(0)});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), slope}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::sin
