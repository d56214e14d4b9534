#include "ops/kernel.h"
#include "ops/lanes.h"
#include "ops/letters.h"
#include "ops/resize_taps.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

std::vector<Type> infer_resize(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {x};
  const auto target = resize_target(call, x.dims);
  return {with_dims(x, target ? target->dims : Dims(x.dims.size(), Dims::kUnknown))};
}

// Interpolation is separable: one axis after the other.
std::vector<Array> eval_resize(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const ResizeTarget target = *resize_target(call, x.dims());
  auto values         = values_of<double>(x);
  Dims dims           = x.dims();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t before = dims[axis], after = target.dims[axis];
    if (!target.resizes(x.dims(), axis)) continue;
    const Lanes from = lanes_along(dims, axis);
    dims[axis]       = after;
    const Lanes to   = lanes_along(dims, axis);
    std::vector<double> resized(to.count() * to.length);
    for (size_t i = 0; i < to.length; ++i) {
      const ResizeTap tap = resize_tap(call, static_cast<int64_t>(i), target.scales[axis], before, after);
      for (size_t lane = 0; lane < to.count(); ++lane) {
        resized[to.at(lane, i)] =
            (1 - tap.weight) * values[from.at(lane, tap.low)] + tap.weight * values[from.at(lane, tap.high)];
      }
    }
    values = std::move(resized);
  }
  return {array_of(x.dtype(), dims, values)};
}

// The axes that change, with their sizes before and their scales.
void grad_resize(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  const auto target  = has_dims(x) ? resize_target(call, x.dims) : std::nullopt;
  if (!target) call.fail("the shape and the scales must be known to differentiate");
  std::vector<int64_t> axes, sizes;
  std::vector<double> scales;
  for (size_t axis = 0; axis < x.dims.size(); ++axis) {
    if (!target->resizes(x.dims, axis)) continue;
    axes.push_back(static_cast<int64_t>(axis));
    sizes.push_back(x.dims[axis]);
    scales.push_back(target->scales[axis]);
  }
  Attributes attributes = call.attributes;
  attributes.set("axes", axes).set("sizes", sizes).set("scales", scales);
  builder.set_input_gradient(0, builder.emit("ResizeGrad", attributes, {builder.output_gradient(0)})[0]);
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
        const auto target = resize_target(call, x.dims);
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
      .grad = grad_resize,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"scales", std::vector<double>{1, 1, 2, 1.5}}}, {f32({2, 2, 3, 4})}},
                {{{"mode", "linear"}, {"sizes", std::vector<int64_t>{2, 2, 5, 3}}}, {f32({2, 2, 3, 6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
