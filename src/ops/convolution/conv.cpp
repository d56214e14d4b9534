#include "foreflow/ir/countable.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/window.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::conv {

namespace {

std::vector<Type> infer_conv(const OpCall& call) {
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  const std::optional<DType> dtype = common_dtype(call, std::vector{x, w});
  if (!dtype) return {Type{}};
  if (!has_rank(x) || !has_rank(w)) return {Type::unranked(*dtype)};
  if (w.dims.size() < 3) call.fail("w is " + to_string(w.dims) + "; it should be (M, C / group, kernel...)");
  const Window window   = window_of(call, x.dims, spatial(w.dims));
  const int64_t wanted  = ir::clamped_product(w.dims[1], group_of(call));
  const bool comparable = x.dims[1] != Dims::kUnknown && w.dims[1] != Dims::kUnknown;
  if (comparable && x.dims[1] != wanted) {
    call.fail("x has " + std::to_string(x.dims[1]) + " channels; w and group = " + std::to_string(group_of(call)) +
              " want " + std::to_string(wanted));
  }
  if (w.dims[0] != Dims::kUnknown && w.dims[0] % group_of(call) != 0) {
    call.fail("w gives " + std::to_string(w.dims[0]) +
              " channels; a multiple of group = " + std::to_string(group_of(call)) + " would be right");
  }
  return {Type::tensor(*dtype, with_spatial(x.dims[0], w.dims[0], window.output))};
}

// "ncyx,mcyx->nmyx" without y and x. Splitting c leaves partial sums, which a bias forbids; groups tie c and m
// together.
Factors conv_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string whole = dots(tensor_operand(call, 0).dims.size() - 2);
  const bool grouped = group_of(call) != 1, biased = call.has(2);
  const std::string m = grouped ? "." : "m", c = grouped || biased ? "." : "c";
  const std::vector<std::string> operands{"n" + c + whole, m + c + whole, biased ? m : ""};
  return {.text = factor_text(call, {operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(call.arity())},
                              {"n" + m + whole})};
}

Work conv_work(const OpCall& call, std::span<const Type> outputs) {
  const Type w = tensor_operand(call, 1);
  const double taps =
      has_dims(w) && w.dims[0] > 0 ? count_of(w) / static_cast<double>(w.dims[0]) : 0;  // of all channels of a group
  return computes(call, outputs, count_of(outputs[0]) * (2 * taps + (call.has(2) ? 1 : 0)));
}

std::vector<Array> eval_conv(const OpCall& call) {
  const Array &x = value_of(call, 0), &w = value_of(call, 1);
  const Window window = window_of(call, x.dims(), spatial(w.dims()));
  const auto elements = covered(window);
  const auto xs = values_of<double>(x), ws = values_of<double>(w);
  const auto bias =
      call.has(2) ? values_of<double>(value_of(call, 2)) : std::vector<double>(static_cast<size_t>(w.dims()[0]));
  const auto n_count = static_cast<size_t>(x.dims()[0]), channels = static_cast<size_t>(x.dims()[1]);
  const auto m_count        = static_cast<size_t>(w.dims()[0]);
  const auto group_channels = static_cast<size_t>(w.dims()[1]), taps = static_cast<size_t>(window.taps());
  const auto positions       = static_cast<size_t>(window.positions());
  const size_t plane         = xs.size() / std::max<size_t>(n_count * channels, 1);
  const size_t group_results = m_count / static_cast<size_t>(group_of(call));
  std::vector<double> y(n_count * m_count * positions);
  for (size_t nm = 0; nm < n_count * m_count; ++nm) {
    const size_t n = nm / m_count, m = nm % m_count;
    for (size_t position = 0; position < positions; ++position) {
      double sum = bias[m];
      for (size_t c = 0; c < group_channels; ++c) {
        const double* const source = xs.data() + (n * channels + m / group_results * group_channels + c) * plane;
        const double* const weight = ws.data() + (m * group_channels + c) * taps;
        for (size_t tap = 0; tap < taps; ++tap) {
          const int64_t element = elements[position * taps + tap];
          if (element >= 0) sum += weight[tap] * source[element];
        }
      }
      y[nm * positions + position] = sum;
    }
  }
  return {array_of(x.dtype(), with_spatial(x.dims()[0], w.dims()[0], window.output), y)};
}

// dx is the transposed convolution of dy with w, over as many elements as x has.
void grad_conv(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, 1);
  if (!has_dims(x) || !has_dims(w)) call.fail("shapes must be known to differentiate");
  const Window window         = window_of(call, x.dims, spatial(w.dims));
  const Attributes attributes = window_attributes(call, window);
  const int dy                = builder.output_gradient(0);
  if (builder.wanted(0)) {
    Attributes transposed = attributes;
    Sizes left_over;  // behind the last window
    for (size_t axis = 0; axis < window.input.size(); ++axis) {
      const int64_t reached = (window.output[axis] - 1) * window.stride[axis] - window.begin[axis] - window.end[axis] +
                              (window.kernel[axis] - 1) * window.dilation[axis] + 1;
      left_over.push_back(window.input[axis] - reached);
    }
    transposed.set("output_padding", left_over);
    builder.set_input_gradient(0, builder.emit("ConvTranspose", transposed, {dy, builder.input(1)})[0]);
  }
  if (builder.wanted(1)) {
    builder.set_input_gradient(1, builder.emit("ConvWeightGrad", attributes, {builder.input(0), dy})[0]);
  }
  if (call.has(2) && builder.wanted(2)) builder.set_input_gradient(2, emit_channel_sums(builder, dy));
}

}  // namespace

OpDef row() {
  return {
      .name = "Conv",
      .doc =
          "x[n,c,..], w[m,c,kernel..], bias[m] -> y[n,m,..]: cross-correlation with strides, dilations, pads and "
          "groups",
      .takes_weights = true,
      .kernels       = ir::Kernels::product,
      .whole_because = "its windows reach across that dimension",
      .infer         = infer_conv,
      .factors       = conv_factors,
      .work          = conv_work,
      .eval          = eval_conv,
      .grad          = grad_conv,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"pads", std::vector<int64_t>{1, 1, 1, 1}}}, {f32({2, 4, 5, 4}), f32({2, 4, 3, 3})}},
                {{{"strides", std::vector<int64_t>{2}}, {"auto_pad", "SAME_UPPER"}},
                 {f32({2, 3, 7}), f32({4, 3, 3}), f32({4})}},
                {{{"strides", std::vector<int64_t>{3, 2}}, {"pads", std::vector<int64_t>{0, 1, 0, 0}}},
                 {f32({2, 2, 5, 6}), f32({2, 2, 2, 3})}},
                {{{"group", 2}, {"dilations", std::vector<int64_t>{1, 2}}},
                 {f32({2, 4, 4, 5}), f32({6, 2, 2, 2}), f32({6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::conv
