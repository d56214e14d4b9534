#include <cmath>

#include "ops/common/norm_gradient.h"
#include "ops/common/pool.h"

namespace foreflow::ops::definitions::lp_pool {

namespace {

std::vector<Array> eval(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const Window window = pool_window(call, x.dims());
  const auto elements = covered(window);
  const auto values   = values_of<double>(x);
  const double p      = norm_of(call);
  const auto planes = static_cast<size_t>(x.dims()[0] * x.dims()[1]), taps = static_cast<size_t>(window.taps());
  const size_t plane = values.size() / std::max<size_t>(planes, 1);
  std::vector<double> y;
  for (size_t n = 0; n < planes; ++n) {
    for (size_t position = 0; position < static_cast<size_t>(window.positions()); ++position) {
      double sum = 0;
      for (size_t tap = 0; tap < taps; ++tap) {
        const int64_t element = elements[position * taps + tap];
        if (element >= 0) sum += std::pow(std::abs(values[n * plane + static_cast<size_t>(element)]), p);
      }
      y.push_back(std::pow(sum, 1 / p));
    }
  }
  return {array_of(x.dtype(), with_spatial(x.dims()[0], x.dims()[1], window.output), y)};
}

// Each window's share goes back to what it covers: a transposed convolution, channel by channel, with a kernel of ones.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_dims(x)) call.fail("the shape must be known to differentiate");
  const Window window = pool_window(call, x.dims);
  const Dims kernel   = with_spatial(x.dims[1], 1, window.kernel);
  const Array ones    = array_of(x.dtype, kernel, std::vector<double>(static_cast<size_t>(element_count(kernel)), 1));
  Sizes pads          = window.begin, missing;
  pads.insert(pads.end(), window.end.begin(), window.end.end());
  for (size_t axis = 0; axis < window.kernel.size(); ++axis) {
    const int64_t reached =
        window.stride[axis] * (window.output[axis] - 1) + (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    missing.push_back(window.input[axis] + window.begin[axis] + window.end[axis] - reached);
  }
  const Attributes attributes{{"group", x.dims[1]},
                              {"strides", window.stride},
                              {"dilations", window.dilation},
                              {"pads", pads},
                              {"output_padding", missing}};
  const int weights = builder.emit("Constant", {{"value", ones}}, {})[0];
  const int spread  = builder.emit("ConvTranspose", attributes, {norm_pull(builder), weights})[0];
  builder.set_input_gradient(0, builder.emit("Mul", {}, {norm_slope(builder), spread})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "LpPool",
      .doc           = "x[n,c,..] -> (sum of |x|^p)^(1/p) under each position of the window",
      .whole_because = "its windows reach across that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_pool(call)}; },
      .factors       = pool_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work all  = pool_work(call, outputs);
            all.flops = all.flops * (kTranscendental + 1.0);
            return all;
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 1}}},
                 {f32({2, 2, 5, 4})}},
                {{{"kernel_shape", std::vector<int64_t>{3}}, {"pads", std::vector<int64_t>{1, 1}}, {"p", 3}},
                 {f32({2, 4, 6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::lp_pool
