#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_l2 {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) {
  return wrapping(std::plus{}, sum, wrapping(std::multiplies{}, x, x));
};
constexpr auto kFinish = [](auto sum, auto) { return std::sqrt(sum); };

}  // namespace

OpDef row() {
  OpDef row = reduction<kStart, kCombine, kFinish>("ReduceL2",
                                                   "root of the sum of squares over `axes` (all when there are none)");
  // dx = dy x / y, 0 where y is 0
  row.grad = [](GradBuilder& builder) {
    const int x = builder.input(0), y = emit_kept(builder, builder.output(0)), zero = emit_number(builder, 0);
    const int scale = emit_op(builder, "Div", {emit_kept(builder, builder.output_gradient(0)), y});
    const int safe  = emit_op(builder, "Where", {emit_op(builder, "Equal", {y, zero}), zero, scale});
    builder.set_input_gradient(0, emit_op(builder, "Mul", {x, safe}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_l2
