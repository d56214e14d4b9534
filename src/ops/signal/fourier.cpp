#include "ops/signal/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace foreflow::ops {

std::vector<std::complex<double>> fourier(std::span<const std::complex<double>> x, size_t length, size_t bins,
                                          Transform transform) {
  const double sign = transform == Transform::forward ? -1 : 1;
  std::vector<std::complex<double>> roots, y(bins);
  for (size_t n = 0; n < length; ++n) {
    roots.push_back(
        std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(length)));
  }
  for (size_t k = 0; k < bins; ++k) {
    for (size_t n = 0; n < std::min(length, x.size()); ++n) y[k] += x[n] * roots[k * n % length];
    if (transform == Transform::inverse) y[k] /= static_cast<double>(length);
  }
  return y;
}

double fourier_flops(double length) { return length > 1 ? 5 * length * std::log2(length) : 0; }

}  // namespace foreflow::ops
