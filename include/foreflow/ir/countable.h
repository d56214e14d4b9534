// Limits on the size of a tensor, and arithmetic on sizes that cannot overflow.
#pragma once

#include "foreflow/base/error.h"
#include "foreflow/ir/type.h"

namespace foreflow::ir {

// The most elements that a tensor may have. The number of bits of such a tensor fits in 63 bits.
inline constexpr int64_t kMostElements = int64_t{1} << 56;

// Returns true if the product of the known nonzero dimensions is at most kMostElements. Other shapes are rejected where
// they are read or inferred. element_count returns INT64_MAX for shapes whose element count exceeds 63 bits.
bool is_countable(const Dims& dims);

// A result of an op would have more than kMostElements. The first is of the op alone, the second names its place in the
// program.
class UncountablePartError : public PartError {
 public:
  using PartError::PartError;
};
class UncountableError : public Error {
 public:
  using Error::Error;
};

// Sum and product, clamped to [-2^60, 2^60]. With these, sizes computed from arbitrary numbers of a program never
// overflow; a clamped size makes a shape that is not countable, which is rejected.
int64_t clamped_sum(int64_t a, int64_t b);
int64_t clamped_product(int64_t a, int64_t b);
// The integer part of `number`, clamped in the same way; NaN gives 2^60.
int64_t clamped_whole(double number);

}  // namespace foreflow::ir
