// 16-bit floats as bits: IEEE binary16 and bfloat16.
#pragma once

#include <cstdint>

namespace foreflow::ops {

double half_to_double(uint16_t bits);
double bfloat_to_double(uint16_t bits);

// Round to nearest, ties to even; overflow becomes infinity.
uint16_t double_to_half(double value);
uint16_t double_to_bfloat(double value);

}  // namespace foreflow::ops
