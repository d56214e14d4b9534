#include "ops/rms.h"

namespace foreflow::ops::definitions {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), scale = tensor_operand(call, 1), dy = tensor_operand(call, 2);
  common_dtype(call, std::vector{x, scale, dy});
  if (has_dims(x) && has_dims(dy) && x.dims != dy.dims) {
    call.fail("dy is " + to_string(dy.dims) + "; it should have the shape of x, " + to_string(x.dims));
  }
  if (has_dims(x) && has_dims(scale)) {
    const size_t axis = axis_attribute(call, x.dims.size(), -1);
    const Dims normalised(std::span(x.dims.begin() + axis, x.dims.end()));
    if (scale.dims != normalised)
      call.fail("scale is " + to_string(scale.dims) + "; it should be " + to_string(normalised));
  }
  return {x, scale};
}

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

OpDef simplified_layer_normalization_grad() {
  return {
      .name    = "SimplifiedLayerNormalizationGrad",
      .doc     = "x, scale, dy -> dx, dscale: the gradient of SimplifiedLayerNormalization",
      .domain  = "foreflow",
      .infer   = infer,
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const size_t rank = tensor_operand(call, 0).dims.size(), axis = axis_attribute(call, rank, -1);
        const std::string x = letters_before(rank, axis), scale = dots(rank - axis);
        return {.text = factor_text(call, {x, scale, x}, {x, scale})};
      },
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

}  // namespace foreflow::ops::definitions
