// Conversions between float and the bits of IEEE half (f16), bfloat16 and float8 E4M3. Conversions from float round to
// nearest, ties to even.
#pragma once

#include <cstdint>

namespace foreflow::ir {

float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat_to_float(uint16_t bits);
uint16_t float_to_bfloat(float value);
float float8_to_float(uint8_t bits);
uint8_t float_to_float8(float value);  // saturates at +-448, keeps NaN

}  // namespace foreflow::ir
