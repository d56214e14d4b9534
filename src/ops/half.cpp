#include "ops/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace foreflow::ops {

double half_to_double(uint16_t bits) {
  const int exponent     = (bits >> 10) & 0x1f;
  const double fraction  = bits & 0x3ff;
  const double sign      = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double bfloat_to_double(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t double_to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;  // half way between the largest half, 65504, and the next power of two
  if (magnitude == 0) return sign;
  // In units of the last place, an integer of 11 bits; subnormals share the smallest exponent.
  const int exponent   = std::max(std::ilogb(magnitude), -14);
  const auto units     = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // Units of 2048 (rounded up to the next power of two) carry into the exponent by themselves.
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 14) << 10) + units));
}

uint16_t double_to_bfloat(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  const uint32_t ties_to_even = 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>((bits + ties_to_even) >> 16);
}

}  // namespace foreflow::ops
