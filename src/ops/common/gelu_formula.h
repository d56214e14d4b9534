// The Gaussian error linear unit x * Phi(x) (Hendrycks and Gimpel, 2016), exact and approximated, and its slope.
#pragma once

#include <cmath>
#include <numbers>

#include "ops/common/op.h"

namespace foreflow::ops {

enum class GeluForm : uint8_t { exact, tanh };

inline GeluForm gelu_form(const OpCall& call) {
  const std::string name = call.attributes.string_or("approximate", "none");
  if (name != "none" && name != "tanh") call.fail("approximate is \"" + name + "\"; none or tanh would be right");
  return name == "tanh" ? GeluForm::tanh : GeluForm::exact;
}

inline constexpr double kGeluCubic = 0.044715;

inline double gelu_by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + kGeluCubic * x * x * x)));
}

inline double gelu_by_erf(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

inline double gelu_slope(double x, GeluForm form) {
  if (form == GeluForm::exact) {
    return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
  }
  const double scale = std::sqrt(2 / std::numbers::pi), t = std::tanh(scale * (x + kGeluCubic * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * kGeluCubic * x * x);
}

// Operations an element: a transcendental function counts as eight.
inline constexpr double kGeluFlops = 12;

}  // namespace foreflow::ops
