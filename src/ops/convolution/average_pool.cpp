#include "ops/common/pool.h"

namespace foreflow::ops::definitions::average_pool {

namespace {

std::vector<Array> eval_average(const OpCall& call) {
  const Array& x         = value_of(call, 0);
  const Window window    = pool_window(call, x.dims());
  const auto elements    = covered(window);
  const auto values      = values_of<double>(x);
  const bool padding_too = call.attributes.int_or("count_include_pad", 0) != 0;
  const size_t taps = static_cast<size_t>(window.taps()), positions = static_cast<size_t>(window.positions());
  const size_t planes = static_cast<size_t>(x.dims()[0] * x.dims()[1]),
               plane  = values.size() / std::max<size_t>(planes, 1);
  std::vector<double> y;
  for (size_t n = 0; n < planes; ++n) {
    for (size_t position = 0; position < positions; ++position) {
      double sum = 0, counted = 0;
      for (size_t tap = 0; tap < taps; ++tap) {
        const int64_t element = elements[position * taps + tap];
        if (element >= 0) sum += values[n * plane + static_cast<size_t>(element)];
        if (element >= 0 || (padding_too && element == kInPadding)) ++counted;
      }
      y.push_back(sum / counted);
    }
  }
  return {array_of(x.dtype(), with_spatial(x.dims()[0], x.dims()[1], window.output), y)};
}

}  // namespace

OpDef row() {
  return {
      .name = "AveragePool",
      .doc  = "x[n,c,..] -> the mean under each position of the window; count_include_pad: padding counts as zeros",
      .whole_because = "its windows reach across that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_pool(call)}; },
      .factors       = pool_factors,
      .work          = pool_work,
      .eval          = eval_average,
      .grad =
          [](GradBuilder& builder) {
            const Attributes attributes = pool_grad_attributes(builder.call());
            const int dx                = builder.emit("AveragePoolGrad", attributes, {builder.output_gradient(0)})[0];
            builder.set_input_gradient(0, dx);
          },
      .samples =
          [] {
            const Attributes padded{{"kernel_shape", std::vector<int64_t>{3, 3}},
                                    {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                                    {"count_include_pad", 1}};
            return std::vector<Sample>{
                {padded, {f32({2, 2, 4, 4})}},
                {{{"kernel_shape", std::vector<int64_t>{3}}, {"strides", std::vector<int64_t>{2}}, {"ceil_mode", 1}},
                 {f32({2, 2, 6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::average_pool
