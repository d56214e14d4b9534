// Ops that draw random numbers.
#pragma once

#include "ops/common/generator.h"

namespace foreflow::ops {

// The attribute `dtype`, or `fallback`.
DType dtype_attribute(const OpCall& call, DType fallback);

// Rows of the table for draws of attribute `shape`, and for draws in the shape of an operand. kNormal: attributes mean,
// scale; else low, high.
enum class Distribution : uint8_t { normal, uniform };
OpDef random_row(std::string_view name, std::string_view doc, Distribution distribution);
OpDef random_like_row(std::string_view name, std::string_view doc, Distribution distribution);

}  // namespace foreflow::ops
