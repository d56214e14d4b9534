#include "ops/common/elementwise.h"
#include "ops/common/reduce.h"

namespace foreflow::ops::definitions::reduce_mean {

namespace {

constexpr auto kStart   = [](auto zero) { return zero; };
constexpr auto kCombine = [](auto sum, auto x) { return wrapping(std::plus{}, sum, x); };
constexpr auto kFinish  = [](auto sum, auto count) { return count == 0 ? sum : sum / count; };

}  // namespace

OpDef row() {
  OpDef row    = reduction<kStart, kCombine, kFinish>("ReduceMean", "mean over `axes` (all when there are none)");
  row.additive = true;
  row.grad     = [](GradBuilder& builder) {
    const Type x    = tensor_operand(builder.call(), 0);
    const int dx    = emit_stretched(builder, builder.output_gradient(0));
    const Dims one  = kept_dims(builder.call(), x.dims);
    const int count = emit_number(builder, count_of(x) / static_cast<double>(element_count(one)));
    builder.set_input_gradient(0, builder.emit("Div", {}, {dx, count})[0]);
  };
  return row;
}

}  // namespace foreflow::ops::definitions::reduce_mean
