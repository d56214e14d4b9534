// Numbers of 2, 4 or 8 bits without sign in tensors of bytes, the first in the lowest bits, as ONNX Runtime stores
// quantised weights.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The attribute `bits`; fails unless it is 2, 4 or 8.
int64_t bits_attribute(const OpCall& call, int64_t fallback);

class PackedBits {
 public:
  PackedBits(const Array& bytes, int64_t bits) : bytes_(bytes.to_ints()), bits_(bits) {}

  // Number `index` of row `row`; a row has `row_bytes` bytes.
  double at(int64_t row, int64_t index, int64_t row_bytes) const;

 private:
  std::vector<int64_t> bytes_;
  int64_t bits_;
};

// The zero points in an operand, one for each of rows x blocks: packed as the weights are, or one number each. If the
// operand is absent, the middle of the range.
std::vector<double> zero_points(const OpCall& call, size_t operand, int64_t bits, int64_t rows, int64_t blocks);

// Fail for a block size below 1 or above 2^30, and for operands with other numbers of elements; unknown shapes pass.
void check_block_size(const OpCall& call, int64_t block_size);
void check_elements(const OpCall& call, size_t operand, const std::string& what, const Dims& wanted);
void check_zero_points(const OpCall& call, size_t operand, int64_t bits, int64_t rows, int64_t blocks);

// Returns true if the zero points of a row fill whole bytes, or are numbers of their own.
bool packs_evenly(const OpCall& call, size_t operand, int64_t bits, int64_t blocks);

}  // namespace foreflow::ops
