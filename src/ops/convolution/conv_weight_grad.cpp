#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/window.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::conv_weight_grad {

namespace {

// The window of the convolution of x whose result has the shape of dy.
Window window_of_conv(const OpCall& call, const Dims& x) {
  return window_of(call, x, call.attributes.get_ints("kernel_shape"));
}

std::vector<Type> infer_grad(const OpCall& call) {
  const Type x = tensor_operand(call, 0), dy = tensor_operand(call, 1);
  const std::optional<DType> dtype = common_dtype(call, std::vector{x, dy});
  if (!dtype) return {Type{}};
  if (!has_rank(x) || !has_rank(dy)) return {Type::unranked(*dtype)};
  const Window window = window_of_conv(call, x.dims);
  if (has_dims(x) && has_dims(dy) && dy.dims != with_spatial(x.dims[0], dy.dims[1], window.output)) {
    call.fail("dy is " + to_string(dy.dims) + "; it should have the shape of the convolution's result, " +
              to_string(with_spatial(x.dims[0], dy.dims[1], window.output)));
  }
  const int64_t channels = x.dims[1] == Dims::kUnknown ? Dims::kUnknown : x.dims[1] / group_of(call);
  return {Type::tensor(*dtype, with_spatial(dy.dims[1], channels, window.kernel))};
}

// "ncyx,nmyx->mcyx" without y and x: splitting n leaves partial sums; groups tie c and m together.
Factors grad_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string whole = dots(tensor_operand(call, 0).dims.size() - 2);
  const std::string m = group_of(call) == 1 ? "m" : ".", c = group_of(call) == 1 ? "c" : ".";
  return {.text = factor_text(call, {"n" + c + whole, "n" + m + whole}, {m + c + whole})};
}

// As many products as the convolution itself: every element of dy meets every tap.
Work grad_work(const OpCall& call, std::span<const Type> outputs) {
  const Type dy     = tensor_operand(call, 1);
  const double taps = has_dims(dy) && dy.dims[1] > 0 ? count_of(outputs[0]) / static_cast<double>(dy.dims[1]) : 0;
  return computes(call, outputs, 2 * count_of(dy) * taps);
}

std::vector<Array> eval_grad(const OpCall& call) {
  const Array &x = value_of(call, 0), &dy = value_of(call, 1);
  const Window window = window_of_conv(call, x.dims());
  const auto elements = covered(window);
  const auto xs = values_of<double>(x), slopes = values_of<double>(dy);
  const auto n_count = static_cast<size_t>(x.dims()[0]), channels = static_cast<size_t>(x.dims()[1]),
             m_count = static_cast<size_t>(dy.dims()[1]), groups = static_cast<size_t>(group_of(call));
  const auto taps = static_cast<size_t>(window.taps()), positions = static_cast<size_t>(window.positions());
  const size_t group_channels = channels / groups, group_results = m_count / groups;
  const size_t plane = xs.size() / std::max<size_t>(n_count * channels, 1);
  std::vector<double> dw(m_count * group_channels * taps);
  for (size_t nm = 0; nm < n_count * m_count; ++nm) {
    const size_t n = nm / m_count, m = nm % m_count;
    for (size_t c = 0; c < group_channels; ++c) {
      const double* const source = xs.data() + (n * channels + m / group_results * group_channels + c) * plane;
      double* const sums         = dw.data() + (m * group_channels + c) * taps;
      for (size_t at = 0; at < positions * taps; ++at) {
        if (elements[at] >= 0) sums[at % taps] += slopes[nm * positions + at / taps] * source[elements[at]];
      }
    }
  }
  return {array_of(x.dtype(), infer_grad(call)[0].dims, dw)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "ConvWeightGrad",
      .doc           = "x[n,c,..], dy[n,m,..] -> dw[m,c / group,kernel_shape..]: the gradient of Conv by its weight",
      .domain        = "foreflow",
      .whole_because = "its windows reach across that dimension",
      .infer         = infer_grad,
      .factors       = grad_factors,
      .work          = grad_work,
      .eval          = eval_grad,
      .samples =
          [] {
            using Ints = std::vector<int64_t>;
            return std::vector<Sample>{
                {{{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}}, {f32({2, 4, 5, 4}), f32({2, 2, 5, 4})}},
                {{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"group", 2}}, {f32({2, 4, 7}), f32({2, 6, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::conv_weight_grad
