// Normalisation by the root mean square (Zhang and Sennrich, 2019), alone and after a residual addition.
#pragma once

#include <cmath>

#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// Square, mean, root, quotient and scale: operations an element.
inline constexpr double kRmsFlops = 4;

// The type of one number for each row of x: Float32, the normalised axes 1.
inline Type row_statistics(const OpCall& call, const Type& x) {
  const DType dtype = x.is_tensor() && x.dtype == DType::f64 ? DType::f64 : DType::f32;
  if (!has_rank(x)) return Type::unranked(dtype);
  Dims dims = x.dims;
  for (size_t axis = axis_attribute(call, dims.size(), -1); axis < dims.size(); ++axis) dims[axis] = 1;
  return Type::tensor(dtype, dims);
}

// How many elements a row has, and the type of the statistics.
struct RmsRows {
  size_t length;
  Type statistics;
};
inline RmsRows rms_rows(const OpCall& call, const Array& x) {
  return {lanes_from(x.dims(), axis_attribute(call, x.dims().size(), -1)).length, row_statistics(call, x.type())};
}

// 1 / sqrt(mean(x^2) + epsilon) of every row.
inline std::vector<double> inverse_rms(const std::vector<double>& x, size_t length, double epsilon) {
  std::vector<double> inverse;
  for (size_t start = 0; start < x.size(); start += length) {
    double squares = 0;
    for (size_t i = start; i < start + length; ++i) squares += x[i] * x[i];
    inverse.push_back(1 / std::sqrt(squares / static_cast<double>(length) + epsilon));
  }
  return inverse;
}

// x * inverse * scale; scale holds one number for each element of x.
inline std::vector<double> scaled(const std::vector<double>& x, const std::vector<double>& inverse,
                                  const std::vector<double>& scale) {
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * inverse[i * inverse.size() / x.size()] * scale[i];
  return y;
}

}  // namespace foreflow::ops
