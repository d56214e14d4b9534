// More ways to look at operands: those that need not be tensors, and single numbers.
#pragma once

#include <vector>

#include "ops/common/op.h"

namespace foreflow::ops {

// The type of the operand, which may be a tuple. Fails if the call has fewer operands.
const Type& operand(const OpCall& call, size_t index);

// The first number; each fails when there is none.
double number_of(const OpCall& call, const Array& array);
int64_t first_of(const OpCall& call, const std::vector<int64_t>& list);

}  // namespace foreflow::ops
