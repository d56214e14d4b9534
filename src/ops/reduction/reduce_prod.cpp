#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_prod {

namespace {

constexpr auto kStart   = [](auto) { return 1; };
constexpr auto kCombine = [](auto product, auto x) { return wrapping(std::multiplies{}, product, x); };

// dx = dy times the product of the other elements: that of all elements but zeros, over x, where no other one is zero.
void grad(GradBuilder& builder) {
  const int x = builder.input(0), zero = emit_number(builder, 0), one = emit_number(builder, 1);
  const int is_zero  = emit_op(builder, "Equal", {x, zero});
  const int counted  = emit_op(builder, "Where", {is_zero, one, zero});
  const int non_zero = emit_op(builder, "Where", {is_zero, one, x});
  const int others   = emit_op(builder, "Div", {emit_reduction(builder, "ReduceProd", non_zero), non_zero});
  const int zeros    = emit_op(builder, "Sub", {emit_reduction(builder, "ReduceSum", counted), counted});
  const int slope    = emit_op(builder, "Where", {emit_op(builder, "Equal", {zeros, zero}), others, zero});
  const int dy       = emit_kept(builder, builder.output_gradient(0));
  builder.set_input_gradient(0, emit_op(builder, "Mul", {dy, slope}));
}

std::vector<Sample> samples() {
  std::vector<Sample> all = reduction_samples();
  const Array zeros       = Array::of_floats({3, 3}, {0.5F, 2, -1, 3, 0, 2, 0, 1.5F, 0});
  all.push_back({{{"axes", std::vector<int64_t>{1}}}, {f32({3, 3})}, {{0, zeros}}});
  return all;
}

}  // namespace

OpDef row() {
  OpDef row   = reduction<kStart, kCombine>("ReduceProd", "product over `axes` (all when there are none)");
  row.grad    = grad;
  row.samples = samples;
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_prod
