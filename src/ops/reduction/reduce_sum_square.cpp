#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_sum_square {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) {
  return wrapping(std::plus{}, sum, wrapping(std::multiplies{}, x, x));
};

}  // namespace

OpDef row() {
  OpDef row   = reduction<kStart, kCombine>("ReduceSumSquare", "sum of squares over `axes` (all when there are none)");
  row.factors = sum_factors;
  // dx = 2 x dy
  row.grad = [](GradBuilder& builder) {
    const int twice = emit_op(builder, "Mul", {builder.input(0), emit_number(builder, 2)});
    const int dy    = emit_stretched(builder, builder.output_gradient(0));
    builder.set_input_gradient(0, emit_op(builder, "Mul", {dy, twice}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_sum_square
