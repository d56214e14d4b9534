// Samples between the elements of a tensor: each result is a weighted sum of a few elements.
#pragma once

#include "ops/common/lanes.h"

namespace foreflow::ops {

struct Tap {
  size_t element;
  double weight;
};
using Taps = std::vector<Tap>;  // of one result

// For one axis: what each element of the result is made of, and whether it lies outside, where it has a value of its
// own and no taps.
struct AxisSampling {
  std::vector<Taps> taps;
};

// The weight of the element at distance `x` in cubic convolution (Keys, Cubic convolution interpolation for digital
// image processing, 1981; his a).
double cubic_weight(double x, double a);
double cubic_slope(double x, double a);

// values with the axis replaced; results without taps are `outside`.
std::vector<double> sample_axis(const std::vector<double>& values, const Dims& from, size_t axis,
                                const AxisSampling& sampling, double outside);

// The transpose: gradients of the results -> gradients of the elements, `before` of them along the axis.
std::vector<double> unsample_axis(const std::vector<double>& slopes, const Dims& to, size_t axis,
                                  const AxisSampling& sampling, int64_t before);

}  // namespace foreflow::ops
