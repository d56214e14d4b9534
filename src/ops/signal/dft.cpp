#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/signal/fourier.h"

namespace foreflow::ops::definitions::dft {

namespace {

bool is_inverse(const OpCall& call) { return call.attributes.int_or("inverse", 0) != 0; }
bool is_onesided(const OpCall& call) { return call.attributes.int_or("onesided", 0) != 0; }

// Operand 2 since opset 20, else an attribute.
size_t axis_of(const OpCall& call, size_t rank) {
  if (call.has(2) && call.known[2] == nullptr)
    call.fail("its axis is known at run time only; a constant would be right");
  const size_t axis =
      call.has(2) ? normal_axis(call, call.known[2]->to_ints().at(0), rank) : axis_attribute(call, rank, 1);
  if (axis + 1 == rank) call.fail("the last axis holds real and imaginary parts; another one would be right");
  return axis;
}

// How many numbers are transformed.
int64_t length_of(const OpCall& call, const Dims& x, size_t axis) {
  if (!call.has(1)) return x[axis];
  if (call.known[1] == nullptr) return Dims::kUnknown;
  const int64_t length = call.known[1]->to_ints().at(0);
  if (length < 1) call.fail("dft_length is " + std::to_string(length) + "; it should be positive");
  return length;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {x};
  const size_t rank = x.dims.size();
  if (rank < 2 || x.dims[rank - 1] > 2 || x.dims[rank - 1] == 0)
    call.fail("x is " + to_string(x.dims) + "; its last dimension should be 1 (real) or 2 (complex)");
  const size_t axis    = axis_of(call, rank);
  const int64_t length = length_of(call, x.dims, axis);
  if (is_onesided(call) && is_inverse(call)) call.fail("only a transform that is not inverse may be onesided");
  Dims dims      = x.dims;
  dims[axis]     = is_onesided(call) && length != Dims::kUnknown ? length / 2 + 1 : length;
  dims[rank - 1] = 2;
  return {with_dims(x, dims)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const Dims dims   = infer(call)[0].dims;
  const size_t rank = dims.size(), axis = axis_of(call, rank);
  const auto values = values_of<double>(x);
  const auto parts  = static_cast<size_t>(x.dims()[rank - 1]);
  Dims from = x.dims(), to = dims;
  from[rank - 1] = to[rank - 1] = 1;
  const Lanes sources = lanes_along(from, axis), targets = lanes_along(to, axis);
  const auto length    = static_cast<size_t>(length_of(call, x.dims(), axis));
  const auto direction = is_inverse(call) ? Transform::inverse : Transform::forward;
  std::vector<double> y(2 * targets.count() * targets.length);
  std::vector<std::complex<double>> lane(sources.length);
  for (size_t l = 0; l < sources.count(); ++l) {
    for (size_t i = 0; i < lane.size(); ++i) {
      const double* const number = values.data() + sources.at(l, i) * parts;
      lane[i]                    = {number[0], parts == 2 ? number[1] : 0};
    }
    const auto transformed = fourier(lane, length, targets.length, direction);
    for (size_t k = 0; k < targets.length; ++k) {
      y[2 * targets.at(l, k)]     = transformed[k].real();
      y[2 * targets.at(l, k) + 1] = transformed[k].imag();
    }
  }
  return {array_of(x.dtype(), dims, y)};
}

// Pads or cuts at the end of one axis.
int resized(GradBuilder& builder, int handle, size_t rank, size_t axis, int64_t more) {
  if (more == 0) return handle;
  std::vector<int64_t> pads(2 * rank);
  pads[rank + axis] = more;
  return builder.emit("Pad", {{"pads", pads}}, {handle})[0];
}

// The transform is linear; its transpose is the other transform, times N or divided by it.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x = tensor_operand(call, 0), y = infer(call)[0];
  if (!has_dims(x) || !has_dims(y)) call.fail("the shape must be known to differentiate");
  const size_t rank = x.dims.size(), axis = axis_of(call, rank);
  const int64_t length = length_of(call, x.dims, axis);
  const auto size      = static_cast<double>(length);
  int dx               = resized(builder, builder.output_gradient(0), rank, axis, length - y.dims[axis]);
  dx = builder.emit("DFT", {{"axis", static_cast<int64_t>(axis)}, {"inverse", is_inverse(call) ? 0 : 1}}, {dx})[0];
  const Array factor = array_of(x.dtype, {}, std::vector<double>{is_inverse(call) ? 1 / size : size});
  dx                 = builder.emit("Mul", {}, {dx, builder.emit("Constant", {{"value", factor}}, {})[0]})[0];
  dx                 = resized(builder, dx, rank, axis, x.dims[axis] - length);
  builder.set_input_gradient(0, resized(builder, dx, rank, rank - 1, x.dims[rank - 1] - 2));
}

}  // namespace

OpDef row() {
  return {
      .name          = "DFT",
      .doc           = "x[..,n,..,1 or 2], length -> the discrete Fourier transform along `axis`, [..,k,..,2]",
      .whole_because = "it transforms the whole signal",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        std::string text                 = letters(tensor_operand(call, 0).dims.size());
        text[axis_of(call, text.size())] = text.back() = '.';
        return {.text = factor_text(call, {text}, {text})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const Type x = tensor_operand(call, 0);
            if (!has_dims(x) || !has_dims(outputs[0])) return computes(call, outputs, 0);
            const size_t axis  = axis_of(call, x.dims.size());
            const auto length  = static_cast<double>(length_of(call, x.dims, axis));
            const double lanes = count_of(x) / static_cast<double>(std::max<int64_t>(1, x.dims[axis] * x.dims.back()));
            return computes(call, outputs, lanes * fourier_flops(length));
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({2, 5, 2})}},
                {{{"axis", 0}, {"onesided", 1}}, {f32({6, 2, 1}), i64({})}, {{1, Array::scalar(int64_t{8})}}},
                {{{"inverse", 1}}, {f32({2, 4, 2}), i64({})}, {{1, Array::scalar(int64_t{3})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::dft
