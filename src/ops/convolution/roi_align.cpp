#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/convolution/regions.h"

namespace foreflow::ops::definitions::roi_align {

namespace {

bool takes_largest(const OpCall& call) {
  const std::string mode = call.attributes.string_or("mode", "avg");
  if (mode != "avg" && mode != "max") call.fail("mode is \"" + mode + "\"; avg or max would be right");
  return mode == "max";
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const Dims dims       = infer_regions(call).dims;
  const auto values     = values_of<double>(x);
  const Regions regions = regions_of(call, x.dims());
  const auto channels = static_cast<size_t>(x.dims()[1]), plane = static_cast<size_t>(x.dims()[2] * x.dims()[3]),
             bins = static_cast<size_t>(dims[2] * dims[3]);
  std::vector<double> y;
  // Mode "max" is the largest of the weighted neighbours of all samples, not of the samples, in ONNX's reference data
  // as in ONNX Runtime.
  for (size_t i = 0; i < static_cast<size_t>(element_count(dims)); ++i) {
    const size_t region = i / bins / channels, channel = i / bins % channels;
    const size_t start = (regions.pictures[region] * channels + channel) * plane;
    double sum = 0, largest = -std::numeric_limits<double>::infinity();
    const std::vector<Taps>& samples = regions.bins[region * bins + i % bins];
    for (const Taps& taps : samples) {
      for (const Tap& tap : taps) {
        const double weighted = tap.weight * values[start + tap.element];
        sum += weighted;
        largest = std::max(largest, weighted);
      }
    }
    y.push_back(samples.empty() ? 0 : takes_largest(call) ? largest : sum / static_cast<double>(samples.size()));
  }
  return {array_of(x.dtype(), dims, y)};
}

void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  if (takes_largest(call)) call.fail("mode \"max\" has no gradient here; \"avg\" has");
  builder.set_input_gradient(
      0, builder.emit("RoiAlignGrad", call.attributes,
                      {builder.input(0), builder.input(1), builder.input(2), builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "RoiAlign",
      .doc  = "x[n,c,h,w], rois[r,4], batch indices[r] -> y[r,c,output_height,output_width]: means of samples in x",
      .whole_because = "its regions may lie in any image of the batch",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_regions(call)}; },
      .factors       = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = ".c..,r.,r->rc.."} : Factors{};
      },
      // Eight operations for each of about four samples a bin.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const int64_t ratio  = call.attributes.int_or("sampling_ratio", 0);
            const double samples = ratio > 0 ? static_cast<double>(ratio * ratio) : 4;
            return computes(call, outputs, 8 * samples * count_of(outputs[0]));
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            const std::vector<Type> inputs{f32({2, 2, 5, 6}), f32({2, 4}), i64({2})};
            const std::pair<size_t, Array> rois{1, Array::of_floats({2, 4}, {0.5F, 1, 4.2F, 3.7F, 2, 0, 3, 4})};
            const Attributes attributes{{"output_height", 2}, {"output_width", 3}, {"sampling_ratio", 2}};
            return std::vector<Sample>{
                {attributes, inputs, {rois}},
                {{{"coordinate_transformation_mode", "output_half_pixel"}, {"spatial_scale", 0.5}}, inputs, {rois}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::roi_align
