// Integers as bits.
#pragma once

#include "ops/common/elementwise.h"

namespace foreflow::ops {

// In two's complement; the bits above a narrow type's own are cut off when the result is stored.
template <class T>
uint64_t bits(T value) {
  return static_cast<uint64_t>(value);
}

inline std::vector<Sample> bit_samples() {
  const Array x = Array::of_ints({2, 2}, {12, -7, 255, 1}), y = Array::of_ints({2}, {10, 3});
  return {{{}, {i64({2, 2}), i64({2})}, {{0, x}, {1, y}}}, {{}, {i64({2}), i64({2})}, {{0, y}, {1, y}}}};
}

}  // namespace foreflow::ops
