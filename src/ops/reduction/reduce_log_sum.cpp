#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_log_sum {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) { return wrapping(std::plus{}, sum, x); };
constexpr auto kFinish  = [](auto sum, auto) { return std::log(sum); };

std::vector<Sample> samples() {
  return {{{}, {f32({2, 2})}, {{0, Array::of_floats({2, 2}, {0.5F, 1, 2, 4})}}},
          {{{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{0}}},
           {f32({2, 2})},
           {{0, Array::of_floats({2, 2}, {0.25F, 1, 3, 0.5F})}}}};
}

}  // namespace

OpDef row() {
  OpDef row =
      reduction<kStart, kCombine, kFinish>("ReduceLogSum", "log of the sum over `axes` (all when there are none)");
  row.samples = samples;
  // dx = dy / e^y
  row.grad = [](GradBuilder& builder) {
    const int sum = emit_op(builder, "Exp", {builder.output(0)});
    const int dx  = emit_op(builder, "Div", {builder.output_gradient(0), sum});
    builder.set_input_gradient(0, emit_stretched(builder, dx));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_log_sum
