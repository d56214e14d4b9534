#include "foreflow/ir/countable.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/window.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::conv_transpose {

namespace {

// The window that slides over the result: its positions are the elements of x.
Window window_over_result(const OpCall& call, const Dims& x, const Sizes& kernel) {
  const size_t rank = kernel.size();
  if (x.size() != rank + 2)
    call.fail("x is " + to_string(x) + "; it should have as many spatial dimensions as w, " + std::to_string(rank));
  Window window{.input    = Sizes(rank, Dims::kUnknown),
                .kernel   = kernel,
                .stride   = sizes_attribute(call, "strides", rank, 1),
                .dilation = sizes_attribute(call, "dilations", rank, 1),
                .begin    = Sizes(rank, 0),
                .end      = Sizes(rank, 0),
                .output   = spatial(x)};
  const Sizes pads           = sizes_attribute(call, "pads", 2 * rank, 0),
              extra          = sizes_attribute(call, "output_padding", rank, 0);
  const Sizes shape          = sizes_attribute(call, "output_shape", rank, Dims::kUnknown);
  const std::string auto_pad = call.attributes.string_or("auto_pad", "NOTSET");
  for (size_t axis = 0; axis < rank; ++axis) {
    if (window.output[axis] == Dims::kUnknown || kernel[axis] == Dims::kUnknown) continue;
    const int64_t full = ir::clamped_product(window.stride[axis], window.output[axis] - 1) + extra[axis] +
                         ir::clamped_product(kernel[axis] - 1, window.dilation[axis]) + 1;
    const bool same = auto_pad.starts_with("SAME");
    if (shape[axis] == Dims::kUnknown && !same) {
      window.begin[axis] = pads[axis];
      window.end[axis]   = pads[axis + rank];
    } else {
      const int64_t wanted =
          shape[axis] != Dims::kUnknown ? shape[axis] : ir::clamped_product(window.output[axis], window.stride[axis]);
      const int64_t total = std::max<int64_t>(full - wanted, 0);
      window.begin[axis]  = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      window.end[axis]    = full - wanted - window.begin[axis];
    }
    window.input[axis] = full - window.begin[axis] - window.end[axis];
    if (window.input[axis] < 0) call.fail("pads are larger than the result; smaller ones would be right");
  }
  return window;
}

std::vector<Type> infer_transpose(const OpCall& call) {
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  const std::optional<DType> dtype = common_dtype(call, std::vector{x, w});
  if (!dtype) return {Type{}};
  if (!has_rank(x) || !has_rank(w)) return {Type::unranked(*dtype)};
  if (w.dims.size() < 3) call.fail("w is " + to_string(w.dims) + "; it should be (C, M / group, kernel...)");
  const Window window = window_over_result(call, x.dims, spatial(w.dims));
  if (x.dims[1] != w.dims[0] && x.dims[1] != Dims::kUnknown && w.dims[0] != Dims::kUnknown) {
    call.fail("x has " + std::to_string(x.dims[1]) + " channels; w wants " + std::to_string(w.dims[0]));
  }
  if (x.dims[1] != Dims::kUnknown && x.dims[1] % group_of(call) != 0) {
    call.fail("x has " + std::to_string(x.dims[1]) + " channels; a multiple of group would be right");
  }
  const int64_t m = w.dims[1] == Dims::kUnknown ? Dims::kUnknown : ir::clamped_product(w.dims[1], group_of(call));
  return {Type::tensor(*dtype, with_spatial(x.dims[0], m, window.input))};
}

Factors transpose_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string whole = dots(tensor_operand(call, 0).dims.size() - 2);
  const bool grouped = group_of(call) != 1, biased = call.has(2);
  const std::string m = grouped ? "." : "m", c = grouped || biased ? "." : "c";
  const std::vector<std::string> operands{"n" + c + whole, c + m + whole, biased ? m : ""};
  return {.text = factor_text(call, {operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(call.arity())},
                              {"n" + m + whole})};
}

// Every element of x meets every tap of its channel.
Work transpose_work(const OpCall& call, std::span<const Type> outputs) {
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  const double taps = has_dims(w) && w.dims[0] > 0 ? count_of(w) / static_cast<double>(w.dims[0]) : 0;
  return computes(call, outputs, 2 * count_of(x) * taps + (call.has(2) ? count_of(outputs[0]) : 0));
}

std::vector<Array> eval_transpose(const OpCall& call) {
  const Array &x = value_of(call, 0), &w = value_of(call, 1);
  const Type result   = infer_transpose(call)[0];
  const Window window = window_over_result(call, x.dims(), spatial(w.dims()));
  const auto elements = covered(window);
  const auto xs = values_of<double>(x), ws = values_of<double>(w);
  const auto bias =
      call.has(2) ? values_of<double>(value_of(call, 2)) : std::vector<double>(static_cast<size_t>(result.dims[1]));
  const auto channels = static_cast<size_t>(x.dims()[1]), group_results = static_cast<size_t>(w.dims()[1]),
             m_count = static_cast<size_t>(result.dims[1]);
  const auto taps = static_cast<size_t>(window.taps()), positions = static_cast<size_t>(window.positions());
  const size_t group_channels = channels / static_cast<size_t>(group_of(call));
  std::vector<double> y(static_cast<size_t>(element_count(result.dims)));
  const size_t plane = y.size() / std::max<size_t>(static_cast<size_t>(result.dims[0]) * m_count, 1);
  for (size_t i = 0; i < y.size(); ++i) y[i] = bias[i / plane % m_count];
  for (size_t nc = 0; nc < static_cast<size_t>(x.dims()[0]) * channels; ++nc) {
    const size_t n = nc / channels, c = nc % channels;
    for (size_t m = 0; m < group_results; ++m) {
      double* const target       = y.data() + (n * m_count + c / group_channels * group_results + m) * plane;
      const double* const weight = ws.data() + (c * group_results + m) * taps;
      for (size_t position = 0; position < positions; ++position) {
        for (size_t tap = 0; tap < taps; ++tap) {
          const int64_t element = elements[position * taps + tap];
          if (element >= 0) target[element] += xs[nc * positions + position] * weight[tap];
        }
      }
    }
  }
  return {array_of(x.dtype(), result.dims, y)};
}

// The roles of x and y are those that y and x have in the convolution with the same w and window.
void grad_transpose(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  if (!has_dims(x) || !has_dims(w)) call.fail("shapes must be known to differentiate");
  const Attributes attributes = window_attributes(call, window_over_result(call, x.dims, spatial(w.dims)));
  const int dy                = builder.output_gradient(0);
  if (builder.wanted(0)) builder.set_input_gradient(0, builder.emit("Conv", attributes, {dy, builder.input(1)})[0]);
  if (builder.wanted(1)) {
    builder.set_input_gradient(1, builder.emit("ConvWeightGrad", attributes, {dy, builder.input(0)})[0]);
  }
  if (call.has(2) && builder.wanted(2)) builder.set_input_gradient(2, emit_channel_sums(builder, dy));
}

}  // namespace

OpDef row() {
  return {
      .name          = "ConvTranspose",
      .doc           = "x[n,c,..], w[c,m,kernel..], bias[m] -> y[n,m,..]: the transpose of Conv",
      .takes_weights = true,
      .whole_because = "its windows reach across that dimension",
      .infer         = infer_transpose,
      .factors       = transpose_factors,
      .work          = transpose_work,
      .eval          = eval_transpose,
      .grad          = grad_transpose,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"strides", std::vector<int64_t>{2, 2}}}, {f32({2, 4, 3, 3}), f32({4, 2, 3, 3})}},
                {{{"strides", std::vector<int64_t>{2}},
                  {"pads", std::vector<int64_t>{1, 1}},
                  {"output_padding", std::vector<int64_t>{1}}},
                 {f32({2, 2, 4}), f32({2, 4, 3}), f32({4})}},
                {{{"strides", std::vector<int64_t>{2}}, {"auto_pad", "SAME_UPPER"}}, {f32({2, 2, 3}), f32({2, 2, 3})}},
                {{{"group", 2}}, {f32({2, 4, 3}), f32({4, 1, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::conv_transpose
