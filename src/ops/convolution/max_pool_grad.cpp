#include <limits>

#include "ops/common/pool.h"

namespace foreflow::ops::definitions::max_pool_grad {

namespace {

// The first of the largest elements under a window takes its gradient, as MaxPool takes its index.
std::vector<Array> eval_grad(const OpCall& call) {
  const Array &x = value_of(call, 0), &dy = value_of(call, 1);
  const Window window = pool_window(call, x.dims());
  const auto elements = covered(window);
  const auto values = values_of<double>(x), slopes = values_of<double>(dy);
  const size_t taps = static_cast<size_t>(window.taps()), positions = static_cast<size_t>(window.positions());
  const size_t plane = values.size() / std::max<size_t>(static_cast<size_t>(x.dims()[0] * x.dims()[1]), 1);
  std::vector<double> dx(values.size());
  for (size_t at = 0; at < slopes.size(); ++at) {
    const size_t start = at / positions * plane;
    double largest     = -std::numeric_limits<double>::infinity();
    size_t chosen      = values.size();
    for (size_t tap = 0; tap < taps; ++tap) {
      const int64_t element = elements[at % positions * taps + tap];
      if (element < 0 || values[start + static_cast<size_t>(element)] <= largest) continue;
      chosen  = start + static_cast<size_t>(element);
      largest = values[chosen];
    }
    if (chosen < values.size()) dx[chosen] += slopes[at];
  }
  return {array_of(x.dtype(), x.dims(), dx)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "MaxPoolGrad",
      .doc           = "x[n,c,..], dy[n,c,..] -> dx: each gradient goes to the largest element under its window",
      .domain        = "foreflow",
      .whole_because = "its windows reach across that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0), dy = tensor_operand(call, 1), y = infer_pool(call);
        common_dtype(call, std::vector{x, dy});
        if (has_dims(y) && has_dims(dy) && y.dims != dy.dims) {
          call.fail("dy is " + to_string(dy.dims) + "; it should have the shape of the pool's result, " +
                            to_string(y.dims));
        }
        return {x};
      },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string text = "nc" + dots(tensor_operand(call, 0).dims.size() - 2);
        return {.text = factor_text(call, {text, text}, {text})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const Type x      = tensor_operand(call, 0);
            const double taps = has_dims(x) ? static_cast<double>(pool_window(call, x.dims).taps()) : 0;
            return computes(call, outputs, count_of(call.inputs[1]) * taps);
          },
      .eval = eval_grad,
      .samples =
          [] {
            using Ints = std::vector<int64_t>;
            return std::vector<Sample>{
                {{{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}, {f32({2, 2, 4, 6}), f32({2, 2, 2, 3})}},
                {{{"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}, {"strides", Ints{2}}, {"ceil_mode", 1}},
                 {f32({2, 2, 6}), f32({2, 2, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::max_pool_grad
