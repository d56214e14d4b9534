#include <cmath>

#include "ops/common/gradient_operand.h"
#include "ops/convolution/lrn_window.h"

namespace foreflow::ops::definitions::lrn_grad {

namespace {

// dx = dy * d^-beta - 2 alpha beta / size * x * (sum of dy * x * d^(-beta - 1) over the windows that hold x).
std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  const auto xs = values_of<double>(x), dy = values_of<double>(value_of(call, 1));
  const Lanes lanes       = lanes_along(x.dims(), 1);
  const Response response = response_of(call);
  const auto below        = denominators(xs, lanes, response);
  std::vector<double> pulls;
  for (size_t i = 0; i < xs.size(); ++i) pulls.push_back(dy[i] * xs[i] * std::pow(below[i], -response.beta - 1));
  const auto sums     = window_sums(pulls, lanes, response.size, Window1d::transposed);
  const double factor = 2 * response.alpha * response.beta / static_cast<double>(response.size);
  std::vector<double> dx;
  for (size_t i = 0; i < xs.size(); ++i)
    dx.push_back(dy[i] * std::pow(below[i], -response.beta) - factor * xs[i] * sums[i]);
  return {array_of(x.dtype(), x.dims(), dx)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "LRNGrad",
      .doc           = "x, dy -> dx: the gradient of LRN",
      .domain        = "foreflow",
      .whole_because = "it normalises over neighbours along that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type x = infer_response(call);
        common_dtype(call, std::vector{x, tensor_operand(call, 1)});
        check_slope(call, 1, x);
        return {x};
      },
      .factors = response_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const auto size = static_cast<double>(response_of(call).size);
            return computes(call, outputs, (2 * size + 4 * kTranscendental + 8) * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{{"size", 3}, {"alpha", 0.5}}, {f32({2, 5, 2}), f32({2, 5, 2})}},
                                       {{{"size", 2}, {"alpha", 0.9}}, {f32({4, 3}), f32({4, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::lrn_grad
