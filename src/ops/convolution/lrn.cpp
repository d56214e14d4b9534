#include <cmath>

#include "ops/convolution/lrn_window.h"

namespace foreflow::ops::definitions::lrn {

namespace {

std::vector<Array> eval(const OpCall& call) {
  const Array& x          = value_of(call, 0);
  auto values             = values_of<double>(x);
  const Response response = response_of(call);
  const auto below        = denominators(values, lanes_along(x.dims(), 1), response);
  for (size_t i = 0; i < values.size(); ++i) values[i] *= std::pow(below[i], -response.beta);
  return {array_of(x.dtype(), x.dims(), values)};
}

void grad(GradBuilder& builder) {
  builder.set_input_gradient(
      0, builder.emit("LRNGrad", builder.call().attributes, {builder.input(0), builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "LRN",
      .doc           = "x[n,c,..] -> x / (bias + alpha / size * sum of x^2 over `size` channels around)^beta",
      .whole_because = "it normalises over neighbours along that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_response(call)}; },
      .factors       = response_factors,
      // The sums, a power, and what puts them together.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const auto size = static_cast<double>(response_of(call).size);
            return computes(call, outputs, (size + 2 * kTranscendental + 4) * count_of(outputs[0]));
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{{"size", 3}, {"alpha", 0.5}}, {f32({2, 5, 2, 2})}},
                                       {{{"size", 2}, {"alpha", 0.9}, {"beta", 0.5}, {"bias", 2.0}}, {f32({4, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::lrn
