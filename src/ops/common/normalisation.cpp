#include "ops/common/normalisation.h"

#include <cmath>
#include <numeric>

#include "foreflow/base/nth.h"
#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"

namespace foreflow::ops {

Moments moments_of(const std::vector<double>& x, size_t row_length, double epsilon) {
  Moments moments;
  for (size_t start = 0; start < x.size(); start += row_length) {
    const auto row       = std::span(x).subspan(start, row_length);
    const double length  = static_cast<double>(row_length);
    const double mean    = std::accumulate(row.begin(), row.end(), 0.0) / length;
    const double squares = std::accumulate(row.begin(), row.end(), 0.0, [mean](double sum, double value) {
      return sum + (value - mean) * (value - mean);
    });
    moments.mean.push_back(mean);
    moments.inverse_deviation.push_back(1 / std::sqrt(squares / length + epsilon));
  }
  return moments;
}

std::vector<double> normalised(const std::vector<double>& x, size_t row_length, const Moments& moments,
                               const std::vector<double>& scale, const std::vector<double>& bias) {
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t row = i / row_length;
    y[i] = (x[i] - moments.mean[row]) * moments.inverse_deviation[row] * scale[i] + (bias.empty() ? 0 : bias[i]);
  }
  return y;
}

std::vector<double> spread(const Array& operand, const Dims& dims) {
  const auto own = values_of<double>(operand);
  std::vector<double> values;
  for (const int64_t at : broadcast_offsets(operand.dims(), dims)) values.push_back(nth(own, at));
  return values;
}

int emit_normalised_sum(GradBuilder& builder, size_t bias) {
  const OpCall& call = builder.call();
  if (call.outputs > 3) return builder.output(3);
  const int sum = emit_op(builder, "Add", {builder.input(0), builder.input(1)});
  return call.has(bias) ? emit_op(builder, "Add", {sum, builder.input(bias)}) : sum;
}

std::string letters_before(size_t rank, size_t axis) { return letters(axis) + dots(rank - axis); }

}  // namespace foreflow::ops
