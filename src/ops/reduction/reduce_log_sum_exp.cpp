#include <algorithm>

#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_log_sum_exp {

namespace {

// -infinity: the sum of no exponentials. Integers are refused before.
constexpr auto kStart = [](auto zero) {
  using Limits = std::numeric_limits<decltype(zero)>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
};

// log(e^a + e^b) without overflow.
constexpr auto kCombine = [](auto a, auto b) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  if (x == y && std::isinf(x)) return x;
  return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y)));
};

}  // namespace

OpDef row() {
  OpDef row =
      reduction<kStart, kCombine>("ReduceLogSumExp", "log of the sum of e^x over `axes` (all when there are none)");
  row.infer = [](const OpCall& call) {
    const Type x = tensor_operand(call, 0);
    if (x.is_tensor() && !ir::is_float(x.dtype))
      call.fail("the operand is " + std::string(ir::name(x.dtype)) + "; floats would be right");
    return infer_reduction(call);
  };
  // dx = dy e^(x - y)
  row.grad = [](GradBuilder& builder) {
    const int below = emit_op(builder, "Sub", {builder.input(0), emit_stretched(builder, builder.output(0))});
    const int dy    = emit_stretched(builder, builder.output_gradient(0));
    builder.set_input_gradient(0, emit_op(builder, "Mul", {dy, emit_op(builder, "Exp", {below})}));
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_log_sum_exp
