#include "ops/common/packed_bits.h"

#include "ops/common/kernel.h"

namespace foreflow::ops {

namespace {

bool is_packed(DType dtype, int64_t bits) { return dtype == DType::u8 && bits < 8; }

}  // namespace

int64_t bits_attribute(const OpCall& call, int64_t fallback) {
  const int64_t bits = call.attributes.int_or("bits", fallback);
  if (bits != 2 && bits != 4 && bits != 8) call.fail("bits is " + std::to_string(bits) + "; 2, 4 or 8 would be right");
  return bits;
}

double PackedBits::at(int64_t row, int64_t index, int64_t row_bytes) const {
  const int64_t place = index * bits_, byte = bytes_.at(static_cast<size_t>(row * row_bytes + place / 8));
  return static_cast<double>((byte >> (place % 8)) & ((int64_t{1} << bits_) - 1));
}

std::vector<double> zero_points(const OpCall& call, size_t operand, int64_t bits, int64_t rows, int64_t blocks) {
  const auto count = static_cast<size_t>(rows * blocks);
  if (!call.has(operand)) return std::vector<double>(count, static_cast<double>(int64_t{1} << (bits - 1)));
  const Array& zeros = value_of(call, operand);
  if (!is_packed(zeros.dtype(), bits)) return values_of<double>(zeros);
  const PackedBits packed(zeros, bits);
  std::vector<double> all;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < blocks; ++i) all.push_back(packed.at(row, i, (blocks * bits + 7) / 8));
  }
  return all;
}

void check_block_size(const OpCall& call, int64_t block_size) {
  constexpr int64_t kLargest = int64_t{1} << 30;
  if (block_size < 1 || block_size > kLargest)
    call.fail("block_size is " + std::to_string(block_size) + "; 1 to 2^30 would be right");
}

void check_elements(const OpCall& call, size_t operand, const std::string& what, const Dims& wanted) {
  const Type type = tensor_operand(call, operand);
  if (has_dims(type) && element_count(type.dims) != element_count(wanted))
    call.fail(what + ": " + to_string(type.dims) + " was given; " + to_string(wanted) + " would be right");
}

void check_zero_points(const OpCall& call, size_t operand, int64_t bits, int64_t rows, int64_t blocks) {
  const bool packed = is_packed(tensor_operand(call, operand).dtype, bits);
  check_elements(call, operand, "the zero points", {rows, packed ? (blocks * bits + 7) / 8 : blocks});
}

bool packs_evenly(const OpCall& call, size_t operand, int64_t bits, int64_t blocks) {
  return !is_packed(tensor_operand(call, operand).dtype, bits) || blocks * bits % 8 == 0;
}

}  // namespace foreflow::ops
