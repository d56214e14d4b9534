#include <cmath>

#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::softplus {

namespace {

constexpr auto kFormula = [](auto x) {
  return std::max(static_cast<double>(x), 0.0) + std::log1p(std::exp(-std::fabs(x)));
};

}  // namespace

OpDef row() {
  OpDef row = unary<kFormula, 2 * kTranscendental>("Softplus", "log(1 + e^x)");
  // dx = dy / (1 + e^-x)
  row.grad = [](GradBuilder& builder) {
    const int slope = emit_op(builder, "Sigmoid", {builder.input(0)});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {builder.output_gradient(0), slope}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::softplus
