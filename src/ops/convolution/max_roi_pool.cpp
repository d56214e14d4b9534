#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/base/nth.h"
#include "foreflow/ir/countable.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::max_roi_pool {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), rois = tensor_operand(call, 1);
  const auto pooled = call.attributes.get_ints("pooled_shape");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) call.fail("pooled_shape should be (height, width)");
  if (!has_rank(x) || !has_rank(rois)) return {without_dims(x)};
  if (x.dims.size() != 4 || rois.dims.size() != 2 || (rois.dims[1] != 5 && rois.dims[1] != Dims::kUnknown))
    call.fail("x is " + to_string(x.dims) + " and the regions " + to_string(rois.dims) +
              "; (N, C, H, W) and (R, 5) would be right");
  return {with_dims(x, {rois.dims[0], x.dims[1], pooled[0], pooled[1]})};
}

struct Range {
  int64_t begin, end;
};

// Bin number `bin` of `bins` over the elements from `first` to `last` (Girshick, Fast R-CNN, 2015, section 2.1).
Range bin_of(double first, double last, int64_t bin, int64_t bins, double scale, int64_t size) {
  const double start = std::round(first * scale), length = std::max(std::round(last * scale) - start + 1, 1.0);
  const double width = length / static_cast<double>(bins), begin = static_cast<double>(bin) * width;
  const auto within = [&](double at) { return std::clamp<int64_t>(ir::clamped_whole(at + start), 0, size); };
  return {within(std::floor(begin)), within(std::ceil(begin + width))};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const Dims dims   = infer(call)[0].dims;
  const auto values = values_of<double>(x), rois = values_of<double>(value_of(call, 1));
  const double scale     = call.attributes.float_or("spatial_scale", 1);
  const int64_t channels = dims[1], height = x.dims()[2], width = x.dims()[3];
  std::vector<double> y;
  for (int64_t i = 0; i < element_count(dims); ++i) {
    const int64_t column = i % dims[3], row = i / dims[3] % dims[2], channel = i / dims[3] / dims[2] % channels;
    const double* const roi = rois.data() + i / dims[3] / dims[2] / channels * 5;
    if (!(roi[0] >= 0 && roi[0] < static_cast<double>(x.dims()[0])))
      call.fail("a region lies in a picture that x does not have");
    const Range down    = bin_of(roi[2], roi[4], row, dims[2], scale, height),
                across  = bin_of(roi[1], roi[3], column, dims[3], scale, width);
    const int64_t start = (static_cast<int64_t>(roi[0]) * channels + channel) * height * width;
    double largest = down.begin < down.end && across.begin < across.end ? -std::numeric_limits<double>::infinity() : 0;
    for (int64_t r = down.begin; r < down.end; ++r) {
      for (int64_t c = across.begin; c < across.end; ++c)
        largest = std::max(largest, nth(values, start + r * width + c));
    }
    y.push_back(largest);
  }
  return {array_of(x.dtype(), dims, y)};
}

}  // namespace

OpDef row() {
  return {
      .name = "MaxRoiPool",
      .doc =
          "x[n,c,h,w], rois[r,5] (picture, left, top, right, bottom) -> the largest element in each bin, "
          "[r,c,pooled_shape]",
      .whole_because = "its regions may lie in any image of the batch",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = ".c..,r.->rc.."} : Factors{};
      },
      // At most every element of x once for each region.
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval = eval,
      .samples =
          [] {
            const std::pair<size_t, Array> rois{1, Array::of_floats({2, 5}, {0, 1, 1, 4, 3, 1, 0, 0, 5, 4})};
            return std::vector<Sample>{
                {{{"pooled_shape", std::vector<int64_t>{2, 2}}}, {f32({2, 2, 5, 6}), f32({2, 5})}, {rois}},
                {{{"pooled_shape", std::vector<int64_t>{1, 3}}, {"spatial_scale", 0.5}},
                 {f32({2, 2, 5, 6}), f32({2, 5})},
                 {rois}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::max_roi_pool
