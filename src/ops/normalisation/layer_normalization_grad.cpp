#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"
#include "ops/normalisation/scaled_rows.h"

namespace foreflow::ops::definitions::layer_normalization_grad {

namespace {

// With z the normalised x, r its inverse deviation and g = dy * scale:
// dx = r * (g - mean(g) - z * mean(g * z)),  dscale = sum(dy * z),  dbias = sum(dy).
std::vector<Array> eval_grad(const OpCall& call) {
  const Array &x = value_of(call, 0), &scale = value_of(call, 1);
  const Lanes rows    = lanes_from(x.dims(), axis_attribute(call, x.dims().size(), -1));
  const size_t length = rows.length;
  const auto xs = values_of<double>(x), scales = values_of<double>(scale), dy = values_of<double>(value_of(call, 2));
  const Moments moments = moments_of(xs, length, call.attributes.float_or("epsilon", 1e-5));
  const auto z          = normalised(xs, length, moments, std::vector<double>(xs.size(), 1), {});
  std::vector<double> dx(xs.size()), dscale(length), dbias(length);
  for (size_t row = 0; row < rows.outer; ++row) {
    double mean = 0, mean_z = 0;
    for (size_t i = 0, at = row * length; i < length; ++i, ++at) {
      mean += dy[at] * scales[i] / static_cast<double>(length);
      mean_z += dy[at] * scales[i] * z[at] / static_cast<double>(length);
      dscale[i] += dy[at] * z[at];
      dbias[i] += dy[at];
    }
    for (size_t i = 0, at = row * length; i < length; ++i, ++at) {
      dx[at] = moments.inverse_deviation[row] * (dy[at] * scales[i] - mean - z[at] * mean_z);
    }
  }
  return {array_of(x.dtype(), x.dims(), dx), array_of(scale.dtype(), scale.dims(), dscale),
          array_of(scale.dtype(), scale.dims(), dbias)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "LayerNormalizationGrad",
      .doc           = "x, scale, dy -> dx, dscale, dbias: the gradient of LayerNormalization",
      .domain        = "foreflow",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = [](const OpCall& call) { return infer_scaled_rows(call, 2); },
      .factors       = [](const OpCall& call) { return split_scaled_rows(call, 2); },
      // The statistics again, two means, the difference, and the sums for scale and bias.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, 2 * kNormalisationFlops * count_of(outputs[0]));
          },
      .eval = eval_grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {}, .inputs = {f32({2, 4, 6}), f32({6}), f32({2, 4, 6})}, .outputs = 3},
                {.attributes = {{"axis", 1}}, .inputs = {f32({4, 2, 3}), f32({2, 3}), f32({4, 2, 3})}, .outputs = 3}};
          },
  };
}

}  // namespace foreflow::ops::definitions::layer_normalization_grad
