// Discrete Fourier transforms of lanes of real or complex numbers.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace foreflow::ops {

enum class Transform : uint8_t { forward, inverse };

// y[k] = sum over n of x[n] exp(-2 pi i k n / N), k < bins; the inverse has the other sign and divides by N. x is cut
// or filled up with zeros to N = `length`. By the definition, in O(N * bins).
std::vector<std::complex<double>> fourier(std::span<const std::complex<double>> x, size_t length, size_t bins,
                                          Transform transform);

// Operations of a fast transform of N numbers: 5 N log2 N (Van Loan, Computational Frameworks for the Fast Fourier
// Transform, 1992, section 1.4).
double fourier_flops(double length);

}  // namespace foreflow::ops
