// Layer normalisation as LayerNormalization, its gradient and SkipLayerNormalization use it.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Per row of all axes from `axis` on: x * inverse + offset has mean 0 and variance 1.
struct Moments {
  std::vector<double> mean, inverse_deviation;
};
Moments moments_of(const std::vector<double>& x, size_t row_length, double epsilon);

// (x - mean) / deviation * scale + bias; scale and bias hold one number for each element of x, an empty bias is none.
std::vector<double> normalised(const std::vector<double>& x, size_t row_length, const Moments& moments,
                               const std::vector<double>& scale, const std::vector<double>& bias);

// The numbers of `operand` broadcast to `dims`.
std::vector<double> spread(const Array& operand, const Dims& dims);

// Letters with the axes from `axis` on whole.
std::string letters_before(size_t rank, size_t axis);

// Emits what an op with a residual addition normalises: its fourth result where it has one, or else the sum of operands
// 0, 1 and, where it has one, `bias`.
int emit_normalised_sum(GradBuilder& builder, size_t bias);

// Mean, variance, difference, quotient, scale and bias: operations an element of LayerNormalization.
inline constexpr double kNormalisationFlops = 8;

}  // namespace foreflow::ops
