// Conversions of floats of 8 and 4 bits and of integers of 4 bits. An array keeps each of their elements in a byte of
// its own; files and memory hold two of 4 bits in one (`bits_of`).
#pragma once

#include <cstdint>

#include "foreflow/ir/type.h"

namespace foreflow::ir {

// Returns true if `dtype` is a float of at most 8 bits, that is, one of these:
//
//   type            bits   exponent, fraction   largest   infinity   NaN
//   f8 (E4M3FN)       8          4, 3               448   no         S.1111.111
//   f8e4m3fnuz        8          4, 3               240   no         1.0000.000, so there is no -0
//   f8e5m2            8          5, 2             57344   yes        S.11111.01, .10, .11
//   f8e5m2fnuz        8          5, 2             57344   no         1.00000.00, so there is no -0
//   f8e8m0            8          8, 0             2^127   no         11111111; a power of two, neither sign nor zero
//   f4e2m1            4          2, 1                 6   no         no
//
// Sources: Micikevicius et al., FP8 Formats for Deep Learning (2022); Noune et al., 8-bit Numerical Formats for Deep
// Neural Networks (2022); OCP Microscaling Formats (MX), version 1.0.
bool is_narrow_float(DType dtype);

// The number that the bits of such a type stand for.
float narrow_to_float(DType dtype, uint8_t bits);

// The result for a number beyond the largest. `saturates` gives the largest number; `overflows` gives infinity, or NaN
// if the type has no infinity.
enum class Beyond : uint8_t { saturates, overflows };
// How E8M0 rounds to a power of two: away from zero, towards it, or to the nearer one, where 1.5 goes up.
enum class PowerRounding : uint8_t { up, down, nearest };

// The bits of the nearest number, ties to even, as ONNX defines Cast (opset 24). A type without NaN makes -0 of it. Of
// E8M0 the sign is dropped, and 0 is the smallest number, or NaN where it overflows.
uint8_t float_to_narrow(DType dtype, float value, Beyond beyond = Beyond::saturates,
                        PowerRounding rounding = PowerRounding::up);

// The lowest 4 bits, as a number with sign or without.
int8_t to_int4(int64_t value);
uint8_t to_uint4(int64_t value);

}  // namespace foreflow::ir
