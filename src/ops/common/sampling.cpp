#include "ops/common/sampling.h"

#include <cmath>

namespace foreflow::ops {

double cubic_weight(double x, double a) {
  const double d = std::abs(x);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

double cubic_slope(double x, double a) {
  const double d = std::abs(x), sign = x < 0 ? -1 : 1;
  if (d <= 1) return sign * (3 * (a + 2) * d - 2 * (a + 3)) * d;
  return d < 2 ? sign * ((3 * a * d - 10 * a) * d + 8 * a) : 0;
}

std::vector<double> sample_axis(const std::vector<double>& values, const Dims& from, size_t axis,
                                const AxisSampling& sampling, double outside) {
  Dims to             = from;
  to[axis]            = static_cast<int64_t>(sampling.taps.size());
  const Lanes sources = lanes_along(from, axis), targets = lanes_along(to, axis);
  std::vector<double> results(targets.count() * targets.length);
  for (size_t i = 0; i < targets.length; ++i) {
    for (size_t lane = 0; lane < targets.count(); ++lane) {
      double sum = sampling.taps[i].empty() ? outside : 0;
      for (const Tap& tap : sampling.taps[i]) sum += tap.weight * values[sources.at(lane, tap.element)];
      results[targets.at(lane, i)] = sum;
    }
  }
  return results;
}

std::vector<double> unsample_axis(const std::vector<double>& slopes, const Dims& to, size_t axis,
                                  const AxisSampling& sampling, int64_t before) {
  Dims from           = to;
  from[axis]          = before;
  const Lanes sources = lanes_along(from, axis), targets = lanes_along(to, axis);
  std::vector<double> results(sources.count() * sources.length);
  for (size_t i = 0; i < targets.length; ++i) {
    for (size_t lane = 0; lane < targets.count(); ++lane) {
      for (const Tap& tap : sampling.taps[i])
        results[sources.at(lane, tap.element)] += tap.weight * slopes[targets.at(lane, i)];
    }
  }
  return results;
}

}  // namespace foreflow::ops
