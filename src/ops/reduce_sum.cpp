#include "ops/reduce.h"
#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

OpDef reduce_sum() {
  OpDef row = reduction<[](auto zero) { return zero; }, [](auto sum, auto x) { return wrapping(std::plus{}, sum, x); }>("ReduceSum", "sum over `axes` (all when there are none)");
  row.additive = true;
  row.factors  = sum_factors;
  row.grad     = [](GradBuilder& builder) {
    builder.set_input_gradient(0, emit_stretched(builder, builder.output_gradient(0)));
  };
  return row;
}

}  // namespace foreflow::ops::definitions
