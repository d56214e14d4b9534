// Checks of operands against the dimensions that attributes and other operands give them.
#pragma once

#include <string_view>

#include "ops/common/op.h"

namespace foreflow::ops {

// Fails where the operand is given and has another rank than `wanted`, or a known dimension that differs from a known
// one there. `name` is what messages call it.
void check_dims(const OpCall& call, size_t operand, const Dims& wanted, std::string_view name);

// Returns true if both are known and differ.
inline bool differ(int64_t a, int64_t b) { return a != Dims::kUnknown && b != Dims::kUnknown && a != b; }

}  // namespace foreflow::ops
