#include "ops/convolution/regions.h"

#include <algorithm>
#include <cmath>

#include "foreflow/ir/countable.h"
#include "ops/common/kernel.h"

namespace foreflow::ops {

namespace {

// Bilinear between the elements around (row, column); nothing more than one element outside.
Taps taps_at(double row, double column, int64_t height, int64_t width) {
  if (row < -1 || column < -1 || row > static_cast<double>(height) || column > static_cast<double>(width)) return {};
  const auto split = [](double at, int64_t size) {
    const double inside = std::clamp(at, 0.0, static_cast<double>(size - 1));
    const auto low      = static_cast<size_t>(inside);
    return std::pair{low, inside - static_cast<double>(low)};
  };
  const auto [top, down]   = split(row, height);
  const auto [left, right] = split(column, width);
  const size_t columns = static_cast<size_t>(width), bottom = std::min(top + 1, static_cast<size_t>(height) - 1),
               end = std::min(left + 1, columns - 1);
  return {{top * columns + left, (1 - down) * (1 - right)},
          {top * columns + end, (1 - down) * right},
          {bottom * columns + left, down * (1 - right)},
          {bottom * columns + end, down * right}};
}

// One axis of one region: `bins` bins of `samples` samples each.
struct Side {
  double start, bin;
  int64_t samples;
  double place(int64_t b, int64_t s) const {
    return start + (static_cast<double>(b) + (static_cast<double>(s) + 0.5) / static_cast<double>(samples)) * bin;
  }
};

Side side_of(const OpCall& call, double begin, double end, int64_t bins) {
  const double scale     = call.attributes.float_or("spatial_scale", 1);
  const std::string mode = call.attributes.string_or("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    call.fail("coordinate_transformation_mode is \"" + mode + "\"; half_pixel or output_half_pixel would be right");
  const bool half         = mode == "half_pixel";
  const double start      = begin * scale - (half ? 0.5 : 0);
  const double length     = half ? (end - begin) * scale : std::max((end - begin) * scale, 1.0);
  const int64_t ratio     = call.attributes.int_or("sampling_ratio", 0);
  const auto samples      = ratio > 0 ? ratio : ir::clamped_whole(std::ceil(length / static_cast<double>(bins)));
  constexpr int64_t kMost = 1024;
  if (samples > kMost)
    call.fail("a region has " + std::to_string(samples) + " samples in a bin; sampling_ratio or regions of at most " +
              std::to_string(kMost) + " would be right");
  return {start, length / static_cast<double>(bins), samples};
}

}  // namespace

Type infer_regions(const OpCall& call) {
  const Type x = tensor_operand(call, 0), rois = tensor_operand(call, 1);
  if (!has_rank(x) || !has_rank(rois)) return without_dims(x);
  if (x.dims.size() != 4 || rois.dims.size() != 2 || (rois.dims[1] != 4 && rois.dims[1] != Dims::kUnknown))
    call.fail("x is " + to_string(x.dims) + " and the regions " + to_string(rois.dims) +
              "; (N, C, H, W) and (R, 4) would be right");
  return with_dims(x, {rois.dims[0], x.dims[1], call.attributes.int_or("output_height", 1),
                       call.attributes.int_or("output_width", 1)});
}

Regions regions_of(const OpCall& call, const Dims& x) {
  const auto rois      = values_of<double>(value_of(call, 1));
  const auto numbers   = value_of(call, 2).to_ints();
  const int64_t height = call.attributes.int_or("output_height", 1), width = call.attributes.int_or("output_width", 1);
  if (4 * numbers.size() != rois.size())
    call.fail("has " + std::to_string(numbers.size()) + " batch indices; one for each region would be right");
  if (height < 1 || width < 1) call.fail("output_height and output_width should be positive");
  Regions regions;
  for (size_t r = 0; r < numbers.size(); ++r) {
    if (numbers[r] < 0 || numbers[r] >= x[0])
      call.fail("region " + std::to_string(r) + " is in picture " + std::to_string(numbers[r]) + " of " +
                std::to_string(x[0]));
    regions.pictures.push_back(static_cast<size_t>(numbers[r]));
    const Side across = side_of(call, rois[4 * r], rois[4 * r + 2], width),
               down   = side_of(call, rois[4 * r + 1], rois[4 * r + 3], height);
    for (int64_t bin = 0; bin < height * width; ++bin) {
      std::vector<Taps> samples;
      for (int64_t s = 0; s < down.samples * across.samples; ++s) {
        samples.push_back(taps_at(down.place(bin / width, s / across.samples),
                                  across.place(bin % width, s % across.samples), x[2], x[3]));
      }
      regions.bins.push_back(std::move(samples));
    }
  }
  return regions;
}

}  // namespace foreflow::ops
