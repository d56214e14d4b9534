#include "foreflow/ir/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace foreflow::ir {

float half_to_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const float sign   = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f)
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

uint16_t float_to_half(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  const float size = std::fabs(value);
  if (size >= 65520.0F) return static_cast<uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(size, &exponent);
  if (size == 0 || exponent < -13)
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(size, 24))));
  const auto mantissa =
      static_cast<int>(std::nearbyint(std::ldexp(size, 11 - exponent)));  // 1024..2048; a carry enters the exponent
  return static_cast<uint16_t>(sign + ((exponent + 13) << 10) + mantissa);
}

float bfloat_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float float8_to_float(uint8_t bits) {
  const int exponent = (bits >> 3) & 0xf;
  const int fraction = bits & 0x7;
  const float sign   = (bits & 0x80) != 0 ? -1.0F : 1.0F;
  if (exponent == 0xf && fraction == 0x7) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -9);
  return sign * std::ldexp(static_cast<float>(fraction + 8), exponent - 10);
}

uint8_t float_to_float8(float value) {
  const auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80 : 0);
  if (std::isnan(value)) return static_cast<uint8_t>(sign | 0x7f);
  const float size = std::fabs(value);
  if (size >= 448.0F) return static_cast<uint8_t>(sign | 0x7e);
  int exponent = 0;
  std::frexp(size, &exponent);
  if (size == 0 || exponent < -5)
    return static_cast<uint8_t>(sign | static_cast<uint8_t>(std::nearbyint(std::ldexp(size, 9))));
  const auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(size, 4 - exponent)));  // 8..16
  return static_cast<uint8_t>(sign + ((exponent + 5) << 3) + mantissa);
}

}  // namespace foreflow::ir
