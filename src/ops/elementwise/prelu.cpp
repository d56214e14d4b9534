#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::prelu {

namespace {

constexpr auto kFormula = [](auto x, auto slope) { return x < 0 ? wrapping(std::multiplies{}, x, slope) : x; };

// dx = dy, and dy slope where x < 0; dslope = dy x where x < 0
void grad(GradBuilder& builder) {
  const int x = builder.input(0), dy = builder.output_gradient(0), zero = emit_number(builder, 0);
  const int below    = emit_op(builder, "Less", {x, zero});
  const auto product = [&](int factor) { return emit_op(builder, "Mul", {dy, factor}); };
  if (builder.wanted(0)) {
    builder.set_input_gradient(0, emit_op(builder, "Where", {below, product(builder.input(1)), dy}));
  }
  if (builder.wanted(1)) set_broadcast_gradient(builder, 1, emit_op(builder, "Where", {below, product(x), zero}));
}

}  // namespace

OpDef row() {
  OpDef row = binary<kFormula, 1>("PRelu", "x where x >= 0, else slope x; the slopes broadcast to the shape of x");
  row.infer = [](const OpCall& call) -> std::vector<Type> {
    check_two_operands(call);
    const Type x = tensor_operand(call, 0), y = infer_elementwise(call, Accepts::numbers, Gives::same);
    if (has_dims(x) && has_dims(y) && y.dims != x.dims) {
      call.fail("slopes of " + to_string(call.inputs[1].dims) + " do not broadcast to the shape of x, " +
                to_string(x.dims));
    }
    return {y};
  };
  row.grad    = grad;
  row.samples = [] {
    return std::vector<Sample>{
        {{}, {f32({4, 2}), f32({2})}}, {{}, {f32({2, 3, 2}), f32({3, 1})}}, {{}, {f32({4}), f32({})}}};
  };
  return row;
}

}  // namespace foreflow::ops::definitions::prelu
