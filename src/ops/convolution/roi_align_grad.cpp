#include "ops/common/gradient_operand.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/convolution/regions.h"

namespace foreflow::ops::definitions::roi_align_grad {

namespace {

constexpr size_t kSlope = 3;

std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const Dims dims       = infer_regions(call).dims;
  const auto slopes     = values_of<double>(value_of(call, kSlope));
  const Regions regions = regions_of(call, x.dims());
  const auto channels = static_cast<size_t>(x.dims()[1]), plane = static_cast<size_t>(x.dims()[2] * x.dims()[3]),
             bins = static_cast<size_t>(dims[2] * dims[3]);
  std::vector<double> dx(static_cast<size_t>(x.size()));
  for (size_t i = 0; i < slopes.size(); ++i) {
    const size_t region = i / bins / channels, channel = i / bins % channels;
    const size_t start               = (regions.pictures[region] * channels + channel) * plane;
    const std::vector<Taps>& samples = regions.bins[region * bins + i % bins];
    for (const Taps& taps : samples) {
      for (const Tap& tap : taps)
        dx[start + tap.element] += tap.weight * slopes[i] / static_cast<double>(samples.size());
    }
  }
  return {array_of(x.dtype(), x.dims(), dx)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "RoiAlignGrad",
      .doc           = "x, rois, batch indices, dy -> dx: the gradient of RoiAlign by x, of means",
      .domain        = "foreflow",
      .whole_because = "its regions may lie in any image of the batch",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        check_slope(call, kSlope, infer_regions(call));
        return {tensor_operand(call, 0)};
      },
      .factors = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = ".c..,r.,r,rc..->.c.."} : Factors{};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const int64_t ratio  = call.attributes.int_or("sampling_ratio", 0);
            const double samples = ratio > 0 ? static_cast<double>(ratio * ratio) : 4;
            return computes(call, outputs, 8 * samples * count_of(call.inputs[kSlope]));
          },
      .eval = eval,
      .samples =
          [] {
            const std::vector<Type> inputs{f32({2, 2, 5, 6}), f32({2, 4}), i64({2}), f32({2, 2, 1, 1})};
            const std::pair<size_t, Array> rois{1, Array::of_floats({2, 4}, {0.5F, 1, 4.2F, 3.7F, 2, 0, 3, 4})};
            return std::vector<Sample>{{{}, inputs, {rois}}, {{{"sampling_ratio", 1}}, inputs, {rois}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::roi_align_grad
