// Attributes of a program that stands for one of several replicas, which differ only in their data.
#pragma once

#include <string_view>

namespace foreflow::ir {

// On a collective of all replicas: their number. The operands are those of this replica; every other replica
// contributes its own.
inline constexpr std::string_view kReplicas = "replicas";
// On a Slice of a matrix with one row per replica: every replica takes its own row. The program takes that of replica
// 0.
inline constexpr std::string_view kOwnRow = "own_row";

}  // namespace foreflow::ir
