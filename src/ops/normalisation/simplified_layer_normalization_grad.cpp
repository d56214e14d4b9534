#include "ops/normalisation/rms.h"
#include "ops/normalisation/scaled_rows.h"

namespace foreflow::ops::definitions::simplified_layer_normalization_grad {

namespace {

// With r the inverse root mean square, z = x r and g = dy * scale: dx = r (g - z mean(g * z)), dscale = sum(dy * z).
std::vector<Array> eval(const OpCall& call) {
  const Array &x = value_of(call, 0), &scale = value_of(call, 1);
  const size_t length = rms_rows(call, x).length;
  const auto xs = values_of<double>(x), scales = values_of<double>(scale), dy = values_of<double>(value_of(call, 2));
  const auto inverse = inverse_rms(xs, length, call.attributes.float_or("epsilon", 1e-5));
  std::vector<double> dx(xs.size()), dscale(length);
  for (size_t row = 0; row < inverse.size(); ++row) {
    const double r = inverse[row];
    double mean    = 0;
    for (size_t i = 0, at = row * length; i < length; ++i, ++at) {
      mean += dy[at] * scales[i] * xs[at] * r / static_cast<double>(length);
      dscale[i] += dy[at] * xs[at] * r;
    }
    for (size_t i = 0, at = row * length; i < length; ++i, ++at) dx[at] = r * (dy[at] * scales[i] - xs[at] * r * mean);
  }
  return {array_of(x.dtype(), x.dims(), dx), array_of(scale.dtype(), scale.dims(), dscale)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "SimplifiedLayerNormalizationGrad",
      .doc           = "x, scale, dy -> dx, dscale: the gradient of SimplifiedLayerNormalization",
      .domain        = "foreflow",
      .normalises    = true,
      .chain         = Chain::rms_norm_gradient,
      .whole_because = "it normalises along that dimension",
      .infer         = [](const OpCall& call) { return infer_scaled_rows(call, 1); },
      .factors       = [](const OpCall& call) { return split_scaled_rows(call, 1); },
      // The root again, a mean, the difference, and the sum for the scale.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, 2 * kRmsFlops * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {}, .inputs = {f32({2, 4, 6}), f32({6}), f32({2, 4, 6})}, .outputs = 2},
                {.attributes = {{"axis", 1}}, .inputs = {f32({4, 2, 3}), f32({2, 3}), f32({4, 2, 3})}, .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::simplified_layer_normalization_grad
