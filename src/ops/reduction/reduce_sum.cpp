#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_sum {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) { return wrapping(std::plus{}, sum, x); };

}  // namespace

OpDef row() {
  OpDef row    = reduction<kStart, kCombine>("ReduceSum", "sum over `axes` (all when there are none)");
  row.additive = true;
  row.factors  = sum_factors;
  row.grad     = [](GradBuilder& builder) {
    builder.set_input_gradient(0, emit_stretched(builder, builder.output_gradient(0)));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_sum
