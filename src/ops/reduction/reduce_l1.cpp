#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_l1 {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) {
  return x < 0 ? wrapping(std::minus{}, sum, x) : wrapping(std::plus{}, sum, x);
};

}  // namespace

OpDef row() {
  OpDef row   = reduction<kStart, kCombine>("ReduceL1", "sum of |x| over `axes` (all when there are none)");
  row.factors = sum_factors;
  // dx = sign(x) dy
  row.grad = [](GradBuilder& builder) {
    const int dy = emit_stretched(builder, builder.output_gradient(0));
    builder.set_input_gradient(0, emit_op(builder, "Mul", {dy, emit_op(builder, "Sign", {builder.input(0)})}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_l1
