#include "ops/axes.h"
#include "ops/kernel.h"
#include "ops/lanes.h"
#include "ops/letters.h"
#include "ops/resize_taps.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

// One axis that Resize has changed.
struct Axis {
  size_t axis;
  int64_t size;  // before
  double scale;
};

std::vector<Axis> axes_of(const OpCall& call, size_t rank) {
  const std::vector<int64_t> axes = call.attributes.get_ints("axes"), sizes = call.attributes.get_ints("sizes");
  const auto scales = scales_attribute(call);
  if (!scales || axes.size() != sizes.size() || axes.size() != scales->size()) {
    call.fail("needs as many sizes and scales as axes");
  }
  std::vector<Axis> result;
  for (size_t i = 0; i < axes.size(); ++i) {
    result.push_back({normal_axis(call, axes[i], rank), sizes[i], (*scales)[i]});
  }
  return result;
}

std::vector<Type> infer_grad(const OpCall& call) {
  const Type dy = tensor_operand(call, 0);
  if (!has_rank(dy)) return {dy};
  Dims dims = dy.dims;
  for (const Axis& axis : axes_of(call, dims.size())) dims[axis.axis] = axis.size;
  return {with_dims(dy, dims)};
}

std::vector<Array> eval_grad(const OpCall& call) {
  const Array& dy = value_of(call, 0);
  auto slopes     = values_of<double>(dy);
  Dims dims       = dy.dims();
  for (const Axis& axis : axes_of(call, dims.size())) {
    const int64_t after = dims[axis.axis];
    const Lanes from    = lanes_along(dims, axis.axis);
    dims[axis.axis]     = axis.size;
    const Lanes to      = lanes_along(dims, axis.axis);
    std::vector<double> sums(to.count() * to.length);
    for (size_t i = 0; i < from.length; ++i) {
      const ResizeTap tap = resize_tap(call, static_cast<int64_t>(i), axis.scale, axis.size, after);
      for (size_t lane = 0; lane < to.count(); ++lane) {
        const double slope = slopes[from.at(lane, i)];
        sums[to.at(lane, tap.low)] += (1 - tap.weight) * slope;
        sums[to.at(lane, tap.high)] += tap.weight * slope;
      }
    }
    slopes = std::move(sums);
  }
  return {array_of(dy.dtype(), dims, slopes)};
}

}  // namespace

OpDef resize_grad() {
  return {
      .name   = "ResizeGrad",
      .doc    = "dy -> dx with `sizes` elements along `axes`: the gradient of Resize by `scales`, by nearest or linear",
      .domain = "foreflow",
      .infer  = infer_grad,
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        std::string text = letters(tensor_operand(call, 0).dims.size());
        for (const Axis& axis : axes_of(call, text.size())) text[axis.axis] = '.';
        return {.text = factor_text(call, {text}, {text})};
      },
      // One addition an element, or two products and two additions for each of two axes.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const bool linear = call.attributes.string_or("mode", "nearest") != "nearest";
            return computes(call, outputs, (linear ? 8 : 1) * count_of(call.inputs[0]));
          },
      .eval = eval_grad,
      .samples =
          [] {
            using Ints   = std::vector<int64_t>;
            using Floats = std::vector<double>;
            return std::vector<Sample>{
                {{{"axes", Ints{2, 3}}, {"sizes", Ints{3, 4}}, {"scales", Floats{2, 1.5}}}, {f32({2, 2, 6, 6})}},
                {{{"mode", "linear"}, {"axes", Ints{-1}}, {"sizes", Ints{6}}, {"scales", Floats{0.5}}}, {f32({2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
