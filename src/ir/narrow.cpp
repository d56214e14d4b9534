#include "foreflow/ir/narrow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/base/error.h"

namespace foreflow::ir {
namespace {

enum class Special : uint8_t {
  none,          // every pattern is a number
  last,          // NaN is the pattern with all bits set
  negative_zero  // NaN is the pattern of -0
};

struct NarrowForm {
  int sign;      // the bit of the sign
  int fraction;  // bits
  int bias;
  int largest;  // the pattern of the largest number
  int beyond;   // the pattern of what lies beyond: infinity or NaN
  Special special;
};

constexpr NarrowForm kE4M3Fn{0x80, 3, 7, 0x7e, 0x7f, Special::last};
constexpr NarrowForm kE4M3Fnuz{0x80, 3, 8, 0x7f, 0x80, Special::negative_zero};
constexpr NarrowForm kE5M2{0x80, 2, 15, 0x7b, 0x7c, Special::last};
constexpr NarrowForm kE5M2Fnuz{0x80, 2, 16, 0x7f, 0x80, Special::negative_zero};
constexpr NarrowForm kE2M1{0x8, 1, 1, 0x7, 0x7, Special::none};

const NarrowForm& form_of(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3fnuz: return kE4M3Fnuz;
    case DType::f8e5m2: return kE5M2;
    case DType::f8e5m2fnuz: return kE5M2Fnuz;
    case DType::f4e2m1: return kE2M1;
    default: return kE4M3Fn;
  }
}

constexpr int kPowerBias = 127, kPowerNan = 255, kLargestPower = 254;

float power(uint8_t bits) {
  return bits == kPowerNan ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, bits - kPowerBias);
}

uint8_t to_power(float value, Beyond beyond, PowerRounding rounding) {
  const auto outside = [beyond](int pattern) {
    return static_cast<uint8_t>(beyond == Beyond::saturates ? pattern : kPowerNan);
  };
  if (std::isnan(value)) return kPowerNan;
  const float size = std::fabs(value);
  if (std::isinf(size)) return outside(kLargestPower);
  if (size == 0) return outside(0);
  int exponent         = 0;
  const float mantissa = 2 * std::frexp(size, &exponent);  // 1 <= mantissa < 2
  const bool up        = rounding == PowerRounding::up ? mantissa > 1 : mantissa >= 1.5F;
  const int pattern    = exponent - 1 + kPowerBias + (up && rounding != PowerRounding::down ? 1 : 0);
  if (pattern > kLargestPower) return outside(kLargestPower);
  return pattern < 0 ? outside(0) : static_cast<uint8_t>(pattern);
}

}  // namespace

bool is_narrow_float(DType dtype) { return dtype >= DType::f8 && dtype <= DType::f4e2m1; }

float narrow_to_float(DType dtype, uint8_t bits) {
  FOREFLOW_CHECK(is_narrow_float(dtype), "the type is a narrow float");
  if (dtype == DType::f8e8m0) return power(bits);
  const NarrowForm& form = form_of(dtype);
  const bool negative    = (bits & form.sign) != 0;
  const int size         = bits & (form.sign - 1);
  const int exponent     = size >> form.fraction;
  const auto fraction    = static_cast<float>(size & ((1 << form.fraction) - 1));
  if (form.special == Special::negative_zero && negative && size == 0) return std::numeric_limits<float>::quiet_NaN();
  if (form.special == Special::last && size > form.largest) {
    const bool infinite = size == form.beyond && form.beyond < form.sign - 1;
    const float number  = infinite ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    return negative ? -number : number;
  }
  const float number = exponent == 0 ? std::ldexp(fraction, 1 - form.bias - form.fraction)
                                     : std::ldexp(fraction + static_cast<float>(1 << form.fraction),
                                                  exponent - form.bias - form.fraction);
  return negative ? -number : number;
}

uint8_t float_to_narrow(DType dtype, float value, Beyond beyond, PowerRounding rounding) {
  FOREFLOW_CHECK(is_narrow_float(dtype), "the type is a narrow float");
  if (dtype == DType::f8e8m0) return to_power(value, beyond, rounding);
  const NarrowForm& form = form_of(dtype);
  const int sign         = std::signbit(value) ? form.sign : 0;
  if (std::isnan(value)) {
    if (form.special == Special::last) return static_cast<uint8_t>(sign | (form.sign - 1));
    return static_cast<uint8_t>(form.sign);
  }
  int pattern = form.largest + 1;
  if (std::isfinite(value)) {
    const int lowest   = 1 - form.bias;
    const int exponent = value == 0 ? lowest : std::max(std::ilogb(value), lowest);
    // A carry enters the exponent.
    const auto steps = std::nearbyint(std::ldexp(std::fabs(value), form.fraction - exponent));
    pattern          = ((exponent - lowest) << form.fraction) + static_cast<int>(steps);
  }
  if (pattern > form.largest) {
    if (beyond == Beyond::saturates) return static_cast<uint8_t>(sign | form.largest);
    return static_cast<uint8_t>(form.special == Special::negative_zero ? form.beyond : sign | form.beyond);
  }
  if (pattern == 0 && form.special == Special::negative_zero) return 0;
  return static_cast<uint8_t>(sign | pattern);
}

int8_t to_int4(int64_t value) { return static_cast<int8_t>(((value & 15) ^ 8) - 8); }
uint8_t to_uint4(int64_t value) { return static_cast<uint8_t>(value & 15); }

}  // namespace foreflow::ir
