// How large a tensor may be.
#pragma once

#include "foreflow/ir/type.h"

namespace foreflow::ir {

// No tensor has more elements: so the number of its bits fits in 63 bits.
inline constexpr int64_t kMostElements = int64_t{1} << 56;

// False when the dimensions that are known, leaving out zeros, already make more than kMostElements. Such shapes are
// refused where they are read or inferred; until then element_count gives INT64_MAX for those beyond 63 bits.
bool is_countable(const Dims& dims);

// Exact as long as the result lies in [-2^60, 2^60], else the nearer of these, so that sizes made of numbers that a
// program may choose freely never overflow: what they make is then refused as not countable.
int64_t clamped_sum(int64_t a, int64_t b);
int64_t clamped_product(int64_t a, int64_t b);
// The whole part of a real number, clamped likewise; what is not a number becomes 2^60.
int64_t clamped_whole(double number);

}  // namespace foreflow::ir
