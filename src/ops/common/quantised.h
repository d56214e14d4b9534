// Linear quantisation: a real number is (q - zero point) * scale, with q an 8-bit integer.
#pragma once

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// round(x / scale) + zero_point as ONNX rounds: to nearest even, then held to the range of `dtype`, an integer of at
// most 16 bits. What is no number becomes the least one, as ONNX Runtime has it, so a mask of -inf stays one.
int64_t quantise(double ratio, int64_t zero_point, DType dtype);

// The scale and zero point with which the range of some numbers, and 0, is spread over 0 .. 255; in Float32, as the
// roundings decide.
struct ByteRange {
  float scale  = 1;
  int64_t zero = 0;
  // The byte of a number, and the number that it stands for.
  int64_t byte(double number) const { return quantise(static_cast<float>(number) / scale, zero, DType::u8); }
  double rounded(double number) const { return static_cast<double>(scale) * static_cast<double>(byte(number) - zero); }
};
ByteRange range_of(float lowest, float highest);

// One number for the whole tensor, one for each index along `axis`, or, with as many dimensions as the tensor, one for
// each block of neighbours along `axis`; `operand` left out: zeros. Per element of a tensor of shape `dims`.
std::vector<double> spread_along(const OpCall& call, size_t operand, const Dims& dims, size_t axis);

// Returns true if the operand holds one number for the whole tensor (or is left out, or not known yet).
bool per_tensor(const OpCall& call, size_t operand);

// operand - its zero point, as Float64. `axis` as in spread_along.
Array centred(const OpCall& call, size_t operand, size_t zero_point, size_t axis);

// The operand as a Float64 tensor of that shape, for the type rules of real arithmetic.
Type as_real(const OpCall& call, size_t operand);

// Returns true if the operand holds one number for each block of neighbours along an axis.
bool per_block(const OpCall& call, size_t operand, size_t rank);

// The letters of an op that scales x (operand 0) elementwise: all dimensions, but `axis` where blocks lie along it. The
// scale, and the zero point behind it, have a number for each index along `axis`, or one for all.
std::string scaled_letters(const OpCall& call, size_t scale, size_t axis);

// Fails unless the operand is UInt8 or Int8; or, where accepted, an integer or float of at most 16 or 8 bits; or such a
// number or Int32, as which biases are stored.
enum class Accepted : uint8_t { bytes, narrow, narrow_and_sums };
void check_quantised(const OpCall& call, size_t operand, Accepted accepted = Accepted::bytes);

}  // namespace foreflow::ops
