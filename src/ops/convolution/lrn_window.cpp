#include "ops/convolution/lrn_window.h"

#include <algorithm>

namespace foreflow::ops {

Response response_of(const OpCall& call) {
  return {.alpha = call.attributes.float_or("alpha", 1e-4),
          .beta  = call.attributes.float_or("beta", 0.75),
          .bias  = call.attributes.float_or("bias", 1),
          .size  = call.attributes.get_int("size")};
}

Type infer_response(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
  if (response_of(call).size < 1) call.fail("size should be positive");
  return x;
}

std::vector<double> window_sums(const std::vector<double>& values, const Lanes& lanes, int64_t size, Window1d window) {
  const int64_t before = window == Window1d::straight ? (size - 1) / 2 : size / 2, after = size - 1 - before;
  const auto channels = static_cast<int64_t>(lanes.length);
  std::vector<double> sums(values.size());
  for (size_t n = 0; n < lanes.count(); ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t last = std::min(c + after, channels - 1);
      for (int64_t other = std::max<int64_t>(c - before, 0); other <= last; ++other) {
        sums[lanes.at(n, static_cast<size_t>(c))] += values[lanes.at(n, static_cast<size_t>(other))];
      }
    }
  }
  return sums;
}

std::vector<double> denominators(const std::vector<double>& x, const Lanes& lanes, const Response& response) {
  std::vector<double> squares;
  for (const double value : x) squares.push_back(value * value);
  std::vector<double> sums = window_sums(squares, lanes, response.size, Window1d::straight);
  for (double& sum : sums) sum = response.bias + response.alpha / static_cast<double>(response.size) * sum;
  return sums;
}

Factors response_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string text = letters(tensor_operand(call, 0).dims.size());
  text[1]          = '.';
  return {.text = factor_text(call, std::vector<std::string>(call.arity(), text), {text})};
}

}  // namespace foreflow::ops
