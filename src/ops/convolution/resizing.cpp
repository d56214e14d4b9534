#include "ops/convolution/resizing.h"

#include <algorithm>
#include <cmath>

#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"

namespace foreflow::ops {

namespace {

constexpr size_t kRoi = 1, kSizes = 3;

bool crops(const OpCall& call) {
  return call.attributes.string_or("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
}

// Null: not known yet. An empty list of scales means that sizes are given.
std::optional<std::vector<double>> given_scales(const OpCall& call) {
  if (const ir::Attribute* attribute = call.attributes.find("scales")) {
    if (const auto* list = std::get_if<std::vector<double>>(attribute)) return *list;
    const auto whole = call.attributes.get_ints("scales");
    return std::vector<double>(whole.begin(), whole.end());
  }
  const size_t index = scales_operand(call);
  if (!call.has(index)) return std::vector<double>{};
  if (call.known[index] == nullptr) return std::nullopt;
  return values_of<double>(*call.known[index]);
}

// keep_aspect_ratio_policy: one scale for all axes, the least or the largest.
void keep_aspect(const OpCall& call, const Dims& x, const std::vector<size_t>& axes, Resizing& resizing) {
  const std::string policy = call.attributes.string_or("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  if (policy != "not_larger" && policy != "not_smaller")
    call.fail("keep_aspect_ratio_policy is \"" + policy + "\"; stretch, not_larger or not_smaller would be right");
  double scale = resizing.scales[axes[0]];
  for (const size_t axis : axes)
    scale = policy == "not_larger" ? std::min(scale, resizing.scales[axis]) : std::max(scale, resizing.scales[axis]);
  for (const size_t axis : axes) {
    resizing.scales[axis] = scale;
    resizing.dims[axis]   = ir::clamped_whole(std::floor(scale * static_cast<double>(x[axis]) + 0.5));
  }
}

void add_roi(const OpCall& call, const std::vector<size_t>& axes, Resizing& resizing) {
  resizing.cropped = true;
  if (!call.has(kRoi) || call.known[kRoi] == nullptr) return;
  const auto roi = values_of<double>(*call.known[kRoi]);
  if (roi.size() != 2 * axes.size())
    call.fail("roi has " + std::to_string(roi.size()) + " numbers; two for each of " + std::to_string(axes.size()) +
              " axes would be right");
  for (size_t i = 0; i < axes.size(); ++i) {
    resizing.roi_begin[axes[i]] = roi[i];
    resizing.roi_end[axes[i]]   = roi[axes.size() + i];
  }
}

// Returns the position of element `at` of the result among the `before` elements of x, or nothing if it lies outside of
// the part that is taken.
std::optional<double> source(const OpCall& call, double at, double scale, double before, double begin, double end) {
  const std::string mode = call.attributes.string_or("coordinate_transformation_mode", "half_pixel");
  const double after     = scale * before;
  if (mode == "half_pixel") return (at + 0.5) / scale - 0.5;
  if (mode == "half_pixel_symmetric") {
    const double adjustment = std::floor(after) / after;
    return before / 2 * (1 - adjustment) + (at + 0.5) / scale - 0.5;
  }
  if (mode == "pytorch_half_pixel") return after > 1 ? (at + 0.5) / scale - 0.5 : 0;
  if (mode == "asymmetric") return at / scale;
  if (mode == "align_corners") return after == 1 ? 0 : at * (before - 1) / (after - 1);
  if (mode == "tf_half_pixel_for_nn") return (at + 0.5) / scale;
  if (mode != "tf_crop_and_resize")
    call.fail("coordinate_transformation_mode is \"" + mode +
              "\"; half_pixel, half_pixel_symmetric, pytorch_half_pixel, asymmetric, align_corners, tf_crop_and_resize "
              "or tf_half_pixel_for_nn would be right");
  const double place = after == 1 ? (begin + end) * (before - 1) / 2
                                  : begin * (before - 1) + at * (end - begin) * (before - 1) / (after - 1);
  if (place < 0 || place > before - 1) return std::nullopt;
  return place;
}

double nearest(const OpCall& call, double at) {
  const std::string mode = call.attributes.string_or("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return std::ceil(at - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(at + 0.5);
  if (mode == "floor") return std::floor(at);
  if (mode == "ceil") return std::ceil(at);
  call.fail("nearest_mode is \"" + mode + "\"; round_prefer_floor, round_prefer_ceil, floor or ceil would be right");
}

// The elements around `at`: 2 or 4, or as many as a stretched kernel covers where antialias smooths a smaller result.
Taps taps_at(const OpCall& call, double at, double scale, int64_t before) {
  const std::string mode = call.attributes.string_or("mode", "nearest");
  const auto inside      = [before](double index) {
    return static_cast<size_t>(std::clamp(index, 0.0, static_cast<double>(before - 1)));
  };
  if (mode == "nearest") return {{inside(nearest(call, at)), 1}};
  if (mode != "linear" && mode != "cubic")
    call.fail("mode is \"" + mode + "\"; nearest, linear or cubic would be right");
  const bool drops_outside    = call.attributes.int_or("exclude_outside", 0) != 0;
  const double a              = call.attributes.float_or("cubic_coeff_a", -0.75);
  const double stretch        = call.attributes.int_or("antialias", 0) != 0 ? std::min(scale, 1.0) : 1;
  const double reach          = mode == "linear" ? 1 : 2;
  const auto first            = ir::clamped_whole(std::floor(-reach / stretch)) + 1;
  constexpr int64_t kFarthest = -(int64_t{1} << 20);
  if (first < kFarthest) call.fail("a scale is too small to be smoothed; 1/1000000 or more would be right");
  const double floor = std::floor(at);
  Taps taps;
  double sum = 0;
  for (int64_t i = first; i <= 1 - first; ++i) {
    const double index = floor + static_cast<double>(i), distance = (index - at) * stretch;
    if (drops_outside && (index < 0 || index >= static_cast<double>(before))) continue;
    const double weight = mode == "linear" ? std::max(0.0, 1 - std::abs(distance)) : cubic_weight(distance, a);
    taps.push_back({inside(index), weight});
    sum += weight;
  }
  for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

}  // namespace

size_t scales_operand(const OpCall& call) {
  const bool by_attribute = call.attributes.find("scales") != nullptr || call.attributes.find("sizes") != nullptr;
  return call.arity() == 2 && !by_attribute ? 1 : 2;
}

std::optional<Resizing> resizing_of(const OpCall& call, const Dims& x) {
  const Integers sizes = integers(call, "sizes", kSizes);
  const auto scales    = given_scales(call);
  const bool by_size   = sizes.given && (!sizes.list || !sizes.list->empty());
  if (by_size ? !sizes.list : !scales) return std::nullopt;
  const size_t count = by_size ? sizes.list->size() : scales->size();
  std::vector<size_t> axes;
  if (const auto some = call.attributes.find_ints("axes")) {
    for (const int64_t axis : *some) axes.push_back(normal_axis(call, axis, x.size()));
  } else {
    for (size_t axis = 0; axis < x.size(); ++axis) axes.push_back(axis);
  }
  if (count != axes.size()) {
    call.fail("has " + std::to_string(count) + " scales or sizes; one for each of " + std::to_string(axes.size()) +
              " axes would be right");
  }
  Resizing resizing{std::vector<double>(x.size(), 1),
                    std::vector<double>(x.size(), 0),
                    std::vector<double>(x.size(), 1),
                    x,
                    by_size,
                    false};
  for (size_t i = 0; i < axes.size(); ++i) {
    if (by_size ? (*sizes.list)[i] < 0 : !((*scales)[i] > 0))
      call.fail("sizes should not be negative, and scales positive");
    const size_t axis = axes[i];
    const auto before = static_cast<double>(x[axis]);
    if (by_size) {
      resizing.dims[axis]   = (*sizes.list)[i];
      resizing.scales[axis] = static_cast<double>(resizing.dims[axis]) / before;
    } else {
      resizing.scales[axis] = (*scales)[i];
      if (x[axis] != Dims::kUnknown)
        resizing.dims[axis] = ir::clamped_whole(std::floor(before * resizing.scales[axis]));
    }
  }
  if (by_size) keep_aspect(call, x, axes, resizing);
  if (crops(call)) add_roi(call, axes, resizing);
  return resizing;
}

AxisSampling sampling_of(const OpCall& call, const Resizing& resizing, size_t axis, int64_t before) {
  AxisSampling sampling;
  const double scale = resizing.scales[axis];
  for (int64_t i = 0; i < resizing.dims[axis]; ++i) {
    const auto at = source(call, static_cast<double>(i), scale, static_cast<double>(before), resizing.roi_begin[axis],
                           resizing.roi_end[axis]);
    sampling.taps.push_back(at ? taps_at(call, *at, scale, before) : Taps{});
  }
  return sampling;
}

Factors resizing_factors(const OpCall& call, size_t tensors) {
  const Type x = call.arity() == 0 ? Type{} : tensor_operand(call, 0);
  if (!has_dims(x)) return {};
  const auto resizing = resizing_of(call, x.dims);
  if (!resizing) return {};
  std::string text = letters(x.dims.size());
  const auto some  = call.attributes.find_ints("axes");
  std::vector<bool> sized(text.size(), resizing->by_size && !some);
  if (some && resizing->by_size) {
    for (const int64_t axis : *some) sized[normal_axis(call, axis, text.size())] = true;
  }
  for (size_t axis = 0; axis < text.size(); ++axis) {
    // Sizes are those of the whole.
    if (sized[axis] || !resizing->keeps(axis)) text[axis] = '.';
  }
  std::vector<std::string> operands{text};
  if (tensors == 2) {
    while (operands.size() + 1 < call.arity()) operands.push_back(dots_of(call, operands.size()));
    operands.push_back(text);
  }
  return {.text = factor_text(call, operands, {text})};
}

}  // namespace foreflow::ops
