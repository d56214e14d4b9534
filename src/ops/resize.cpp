#include <algorithm>
#include <cmath>

#include "ops/axes.h"
#include "ops/kernel.h"
#include "ops/lanes.h"
#include "ops/letters.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

// Operands x, roi, scales, sizes; before opset 11 only x, scales.
constexpr size_t kSizes = 3;
size_t scales_operand(const OpCall& call) { return call.arity() == 2 ? 1 : 2; }

// The factor and the new size of every axis.
struct Target {
  std::vector<double> scales;
  Dims dims;
  bool by_size = false;
};

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

// Null: the scales or sizes are not known yet.
std::optional<Target> target_of(const OpCall& call, const Dims& x) {
  const Integers sizes = integers(call, "sizes", kSizes);
  const auto scales    = given_scales(call);
  const bool by_size   = sizes.given && (!sizes.list || !sizes.list->empty());
  if (by_size ? !sizes.list : !scales) return std::nullopt;
  const size_t count = by_size ? sizes.list->size() : scales->size();
  std::vector<int64_t> axes;
  if (const auto some = call.attributes.find_ints("axes")) axes = *some;
  else for (size_t axis = 0; axis < x.size(); ++axis) axes.push_back(static_cast<int64_t>(axis));
  if (count != axes.size()) {
    call.fail("has " + std::to_string(count) + " scales or sizes; one for each of " + std::to_string(axes.size()) +
              " axes would be right");
  }
  Target target{std::vector<double>(x.size(), 1), x, by_size};
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

std::vector<Type> infer_resize(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {x};
  const auto target = target_of(call, x.dims);
  return {with_dims(x, target ? target->dims : Dims(x.dims.size(), Dims::kUnknown))};
}

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

// An element of the result is (1 - weight) * x[low] + weight * x[high].
struct Tap {
  size_t low = 0, high = 0;
  double weight = 0;
};

Tap tap_of(const OpCall& call, double at, int64_t before) {
  const std::string mode = call.attributes.string_or("mode", "nearest");
  const auto inside      = [before](double index) {
    return static_cast<size_t>(std::clamp(index, 0.0, static_cast<double>(before - 1)));
  };
  if (mode == "nearest") return {inside(nearest(call, at)), 0, 0};
  if (mode != "linear") call.fail("mode \"" + mode + "\" cannot be evaluated; nearest or linear would be right");
  return {inside(std::floor(at)), inside(std::floor(at) + 1), at - std::floor(at)};
}

// Interpolation is separable: one axis after the other.
std::vector<Array> eval_resize(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const Target target = *target_of(call, x.dims());
  auto values         = values_of<double>(x);
  Dims dims           = x.dims();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t before = dims[axis], after = target.dims[axis];
    if (before == after && target.scales[axis] == 1) continue;
    const Lanes from = lanes_along(dims, axis);
    dims[axis]       = after;
    const Lanes to   = lanes_along(dims, axis);
    std::vector<double> resized(to.count() * to.length);
    for (size_t i = 0; i < to.length; ++i) {
      const double at = source(call, static_cast<double>(i), target.scales[axis], static_cast<double>(before),
                               static_cast<double>(after));
      const Tap tap   = tap_of(call, at, before);
      for (size_t lane = 0; lane < to.count(); ++lane) {
        resized[to.at(lane, i)] =
            (1 - tap.weight) * values[from.at(lane, tap.low)] + tap.weight * values[from.at(lane, tap.high)];
      }
    }
    values = std::move(resized);
  }
  return {array_of(x.dtype(), dims, values)};
}

}  // namespace

OpDef resize() {
  return {
      .name    = "Resize",
      .doc     = "x[..], roi, scales, sizes -> x with every axis scaled, by the nearest element or linearly",
      .infer   = infer_resize,
      .factors = [](const OpCall& call) -> Factors {
        const Type x = call.arity() == 0 ? Type{} : tensor_operand(call, 0);
        if (!has_dims(x)) return {};
        const auto target = target_of(call, x.dims);
        if (!target) return {};
        std::string text = letters(x.dims.size());
        for (size_t axis = 0; axis < text.size(); ++axis) {
          // Sizes are those of the whole.
          if (target->by_size || target->scales[axis] != 1) text[axis] = '.';
        }
        return {.text = factor_text(call, {text}, {text})};
      },
      // Two products and two additions for each of two axes.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const bool linear = call.attributes.string_or("mode", "nearest") != "nearest";
            return computes(call, outputs, linear ? 8 * count_of(outputs[0]) : 0);
          },
      .eval = eval_resize,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"scales", std::vector<double>{1, 1, 2, 1.5}}}, {f32({2, 2, 3, 4})}},
                {{{"mode", "linear"}, {"sizes", std::vector<int64_t>{2, 2, 5, 3}}}, {f32({2, 2, 3, 6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
