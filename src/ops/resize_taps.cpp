#include "ops/resize_taps.h"

#include <algorithm>
#include <cmath>

#include "ops/axes.h"
#include "ops/kernel.h"

namespace foreflow::ops {

namespace {

// Operands x, roi, scales, sizes; before opset 11 only x, scales.
constexpr size_t kSizes = 3;
size_t scales_operand(const OpCall& call) { return call.arity() == 2 ? 1 : 2; }

// Null: not known yet. An empty list of scales means that sizes are given.
std::optional<std::vector<double>> given_scales(const OpCall& call) {
  if (auto scales = scales_attribute(call)) return scales;
  const size_t index = scales_operand(call);
  if (!call.has(index)) return std::vector<double>{};
  if (call.known[index] == nullptr) return std::nullopt;
  return values_of<double>(*call.known[index]);
}

}  // namespace

std::optional<std::vector<double>> scales_attribute(const OpCall& call) {
  const ir::Attribute* attribute = call.attributes.find("scales");
  if (attribute == nullptr) return std::nullopt;
  if (const auto* list = std::get_if<std::vector<double>>(attribute)) return *list;
  const auto whole = call.attributes.get_ints("scales");
  return std::vector<double>(whole.begin(), whole.end());
}

std::optional<ResizeTarget> resize_target(const OpCall& call, const Dims& x) {
  const Integers sizes = integers(call, "sizes", kSizes);
  const auto scales    = given_scales(call);
  const bool by_size   = sizes.given && (!sizes.list || !sizes.list->empty());
  if (by_size ? !sizes.list : !scales) return std::nullopt;
  const size_t count = by_size ? sizes.list->size() : scales->size();
  std::vector<int64_t> axes;
  if (const auto some = call.attributes.find_ints("axes"))
    axes = *some;
  else
    for (size_t axis = 0; axis < x.size(); ++axis) axes.push_back(static_cast<int64_t>(axis));
  if (count != axes.size()) {
    call.fail("has " + std::to_string(count) + " scales or sizes; one for each of " + std::to_string(axes.size()) +
              " axes would be right");
  }
  ResizeTarget target{std::vector<double>(x.size(), 1), x, by_size};
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = normal_axis(call, axes[i], x.size());
    const auto before = static_cast<double>(x[axis]);
    if (by_size) {
      target.dims[axis]   = (*sizes.list)[i];
      target.scales[axis] = static_cast<double>(target.dims[axis]) / before;
    } else {
      target.scales[axis] = (*scales)[i];
      if (x[axis] != Dims::kUnknown) target.dims[axis] = static_cast<int64_t>(std::floor(before * target.scales[axis]));
    }
  }
  return target;
}

namespace {

// Where element `at` of the result lies among the `before` elements of x.
double source(const OpCall& call, double at, double scale, double before, double after) {
  const std::string mode = call.attributes.string_or("coordinate_transformation_mode", "half_pixel");
  if (mode == "half_pixel") return (at + 0.5) / scale - 0.5;
  if (mode == "pytorch_half_pixel") return after > 1 ? (at + 0.5) / scale - 0.5 : 0;
  if (mode == "asymmetric") return at / scale;
  if (mode == "align_corners") return after > 1 ? at * (before - 1) / (after - 1) : 0;
  if (mode == "tf_half_pixel_for_nn") return (at + 0.5) / scale;
  call.fail("coordinate_transformation_mode \"" + mode +
            "\" cannot be evaluated; half_pixel, pytorch_half_pixel, asymmetric or align_corners would be right");
}

double nearest(const OpCall& call, double at) {
  const std::string mode = call.attributes.string_or("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return std::ceil(at - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(at + 0.5);
  if (mode == "floor") return std::floor(at);
  if (mode == "ceil") return std::ceil(at);
  call.fail("nearest_mode is \"" + mode + "\"; round_prefer_floor, round_prefer_ceil, floor or ceil would be right");
}

}  // namespace

ResizeTap resize_tap(const OpCall& call, int64_t i, double scale, int64_t before, int64_t after) {
  const double at =
      source(call, static_cast<double>(i), scale, static_cast<double>(before), static_cast<double>(after));
  const std::string mode = call.attributes.string_or("mode", "nearest");
  const auto inside      = [before](double index) {
    return static_cast<size_t>(std::clamp(index, 0.0, static_cast<double>(before - 1)));
  };
  if (mode == "nearest") return {inside(nearest(call, at)), 0, 0};
  if (mode != "linear") call.fail("mode \"" + mode + "\" cannot be evaluated; nearest or linear would be right");
  return {inside(std::floor(at)), inside(std::floor(at) + 1), at - std::floor(at)};
}

}  // namespace foreflow::ops
