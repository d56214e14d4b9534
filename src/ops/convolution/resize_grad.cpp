#include "ops/common/gradient_operand.h"
#include "ops/common/kernel.h"
#include "ops/common/work.h"
#include "ops/convolution/resizing.h"

namespace foreflow::ops::definitions::resize_grad {

namespace {

constexpr size_t kSlope = 4;

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), dy = tensor_operand(call, kSlope);
  common_dtype(call, std::vector{x, dy});
  const auto resizing = has_rank(x) ? resizing_of(call, x.dims) : std::nullopt;
  if (resizing) check_slope(call, kSlope, with_dims(x, resizing->dims));
  return {x};
}

// Backwards through the axes, each by its transpose.
std::vector<Array> eval(const OpCall& call) {
  const Array& x          = value_of(call, 0);
  const Resizing resizing = *resizing_of(call, x.dims());
  auto slopes             = values_of<double>(value_of(call, kSlope));
  Dims dims               = resizing.dims;
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (resizing.keeps(axis)) continue;
    const int64_t before = x.dims()[axis];
    slopes               = unsample_axis(slopes, dims, axis, sampling_of(call, resizing, axis, before), before);
    dims[axis]           = before;
  }
  return {array_of(x.dtype(), dims, slopes)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "ResizeGrad",
      .doc           = "the operands of Resize, dy -> dx: every element gets back what went into the results",
      .domain        = "foreflow",
      .sizes         = ir::Sizes::resized,
      .gradient_of   = ir::GradientOf::resize,
      .whole_because = "the size that it makes is stated for the whole dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) { return resizing_factors(call, 2); },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const std::string mode = call.attributes.string_or("mode", "nearest");
            return computes(call, outputs,
                            (mode == "nearest"  ? 1
                             : mode == "linear" ? 8
                                                : 16) *
                                count_of(call.inputs[kSlope]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"scales", std::vector<double>{1, 2}}}, {f32({2, 3}), Type{}, Type{}, Type{}, f32({2, 6})}},
                {{{"mode", "linear"}, {"sizes", std::vector<int64_t>{2, 5}}},
                 {f32({2, 3}), Type{}, Type{}, Type{}, f32({2, 5})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::resize_grad
