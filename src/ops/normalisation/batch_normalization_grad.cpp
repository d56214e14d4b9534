#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::batch_normalization_grad {

namespace {

std::vector<Type> infer_grad(const OpCall& call) {
  const Type x = tensor_operand(call, 0), scale = tensor_operand(call, 1), dy = tensor_operand(call, 4);
  common_dtype(call, std::vector{x, scale, tensor_operand(call, 2), tensor_operand(call, 3), dy});
  if (has_dims(x) && has_dims(dy) && x.dims != dy.dims) {
    call.fail("dy is " + to_string(dy.dims) + "; it should have the shape of x, " + to_string(x.dims));
  }
  return {x, scale, scale};
}

// With r the inverse deviation of a channel: dx = dy scale r,  dscale = sum(dy (x - mean) r),  dbias = sum(dy).
std::vector<Array> eval_grad(const OpCall& call) {
  const Array &x = value_of(call, 0), &scale = value_of(call, 1);
  const auto xs = values_of<double>(x), scales = values_of<double>(scale);
  const auto mean = values_of<double>(value_of(call, 2)), variance = values_of<double>(value_of(call, 3));
  const auto dy        = values_of<double>(value_of(call, 4));
  const double epsilon = call.attributes.float_or("epsilon", 1e-5);
  const Lanes lanes    = lanes_along(x.dims(), 1);
  std::vector<double> dx(xs.size()), dscale(lanes.length), dbias(lanes.length);
  for (size_t c = 0; c < lanes.length; ++c) {
    const double inverse = 1 / std::sqrt(variance[c] + epsilon);
    for (size_t n = 0; n < lanes.count(); ++n) {
      const size_t at = lanes.at(n, c);
      dx[at]          = dy[at] * scales[c] * inverse;
      dscale[c] += dy[at] * (xs[at] - mean[c]) * inverse;
      dbias[c] += dy[at];
    }
  }
  return {array_of(x.dtype(), x.dims(), dx), array_of(scale.dtype(), scale.dims(), dscale),
          array_of(scale.dtype(), scale.dims(), dbias)};
}

}  // namespace

OpDef row() {
  return {
      .name = "BatchNormalizationGrad",
      .doc  = "x[n,c,..], scale[c], mean[c], variance[c], dy -> dx, dscale, dbias: of BatchNormalization in inference",
      .domain        = "foreflow",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer_grad,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size()), channel = "b";
        return {.text = factor_text(call, {all, channel, channel, channel, all}, {all, channel, channel})};
      },
      // The product for dx, a difference, a product and two sums.
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 5 * count_of(outputs[0])); },
      .eval = eval_grad,
      .samples =
          [] {
            const std::pair<size_t, Array> variance{3, Array::of_floats({2}, {0.5F, 2})};
            return std::vector<Sample>{{.attributes = {},
                                        .inputs     = {f32({2, 2, 4}), f32({2}), f32({2}), f32({2}), f32({2, 2, 4})},
                                        .values     = {variance},
                                        .outputs    = 3},
                                       {.attributes = {{"epsilon", 1e-2}},
                                        .inputs     = {f32({4, 2}), f32({2}), f32({2}), f32({2}), f32({4, 2})},
                                        .values     = {variance},
                                        .outputs    = 3}};
          },
  };
}

}  // namespace foreflow::ops::definitions::batch_normalization_grad
