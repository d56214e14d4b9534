#include "ops/common/kernel.h"
#include "ops/common/work.h"
#include "ops/convolution/resizing.h"

namespace foreflow::ops::definitions::resize {

namespace {

std::vector<Type> infer_resize(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {x};
  const auto resizing = resizing_of(call, x.dims);
  return {with_dims(x, resizing ? resizing->dims : Dims(x.dims.size(), Dims::kUnknown))};
}

// Interpolation is separable: one axis after the other.
std::vector<Array> eval_resize(const OpCall& call) {
  const Array& x          = value_of(call, 0);
  const Resizing resizing = *resizing_of(call, x.dims());
  const double outside    = call.attributes.float_or("extrapolation_value", 0);
  auto values             = values_of<double>(x);
  Dims dims               = x.dims();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (resizing.keeps(axis)) continue;
    if (dims[axis] == 0) call.fail("x is " + to_string(x.dims()) + "; there is nothing to sample");
    values     = sample_axis(values, dims, axis, sampling_of(call, resizing, axis, dims[axis]), outside);
    dims[axis] = resizing.dims[axis];
  }
  return {array_of(x.dtype(), dims, values)};
}

// ResizeGrad has the operands of Resize, as many as there may be, and the gradient behind them.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  std::vector<int> operands;
  for (size_t i = 0; i < 4; ++i) operands.push_back(call.has(i) ? builder.input(i) : -1);
  if (scales_operand(call) == 1) std::swap(operands[1], operands[2]);
  operands.push_back(builder.output_gradient(0));
  builder.set_input_gradient(0, builder.emit("ResizeGrad", call.attributes, operands)[0]);
}

}  // namespace

OpDef row() {
  return {
      .name  = "Resize",
      .doc   = "x[..], roi, scales, sizes -> x with every axis scaled, by the nearest element, linearly or cubically",
      .sizes = ir::Sizes::resized,
      .whole_because = "the size that it makes is stated for the whole dimension",
      .infer         = infer_resize,
      .factors       = [](const OpCall& call) { return resizing_factors(call, 1); },
      // A product and an addition for each of 2 (linear) or 4 (cubic) elements along each of two axes.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const std::string mode = call.attributes.string_or("mode", "nearest");
            return computes(call, outputs, (mode == "nearest" ? 0 : mode == "linear" ? 8 : 16) * count_of(outputs[0]));
          },
      .eval = eval_resize,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"scales", std::vector<double>{1, 1, 2, 1.5}}}, {f32({2, 2, 3, 4})}},
                {{{"mode", "linear"}, {"sizes", std::vector<int64_t>{2, 2, 5, 3}}}, {f32({2, 2, 3, 6})}},
                {{{"mode", "cubic"}, {"exclude_outside", 1}, {"antialias", 1}, {"axes", std::vector<int64_t>{2}}},
                 {f32({2, 2, 9}), Type{}, f32({1})},
                 {{2, Array::of_floats({1}, {0.5F})}}},
                {{{"mode", "linear"},
                  {"coordinate_transformation_mode", "tf_crop_and_resize"},
                  {"sizes", std::vector<int64_t>{4}}},
                 {f32({5}), f32({2})},
                 {{1, Array::of_floats({2}, {0.2F, 1.1F})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::resize
