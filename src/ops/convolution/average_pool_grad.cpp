#include "ops/common/pool.h"

namespace foreflow::ops::definitions::average_pool_grad {

namespace {

std::vector<Array> eval_grad(const OpCall& call) {
  const Array& dy        = value_of(call, 0);
  const Dims x           = pool_operand(call, dy.dims());
  const Window window    = pool_window(call, x);
  const auto elements    = covered(window);
  const auto slopes      = values_of<double>(dy);
  const bool padding_too = call.attributes.int_or("count_include_pad", 0) != 0;
  const size_t taps = static_cast<size_t>(window.taps()), positions = static_cast<size_t>(window.positions());
  const size_t planes = static_cast<size_t>(x[0] * x[1]);
  const size_t plane  = static_cast<size_t>(element_count(x)) / std::max<size_t>(planes, 1);
  std::vector<double> dx(planes * plane);
  for (size_t at = 0; at < slopes.size(); ++at) {
    const size_t start = at / positions * plane, position = at % positions;
    double counted = 0;
    for (size_t tap = 0; tap < taps; ++tap) {
      const int64_t element = elements[position * taps + tap];
      if (element >= 0 || (padding_too && element == kInPadding)) ++counted;
    }
    for (size_t tap = 0; tap < taps; ++tap) {
      const int64_t element = elements[position * taps + tap];
      if (element >= 0) dx[start + static_cast<size_t>(element)] += slopes[at] / counted;
    }
  }
  return {array_of(dy.dtype(), x, dx)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "AveragePoolGrad",
      .doc           = "dy[n,c,..] -> dx[n,c,sizes..]: each gradient shared by the elements under its window",
      .domain        = "foreflow",
      .whole_because = "its windows reach across that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type dy = tensor_operand(call, 0);
        return {has_rank(dy) ? with_dims(dy, pool_operand(call, dy.dims)) : dy};
      },
      .factors = pool_factors,
      .work    = pool_grad_work,
      .eval    = eval_grad,
      .samples =
          [] {
            using Ints = std::vector<int64_t>;
            return std::vector<Sample>{
                {{{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"sizes", Ints{4, 4}}},
                 {f32({2, 2, 4, 4})}},
                {{{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"ceil_mode", 1}, {"sizes", Ints{6}}},
                 {f32({2, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::average_pool_grad
