// Attributes of programs that say what one of several replicas does, which differ only in their data.
#pragma once

#include <string_view>

namespace foreflow::ir {

// On a collective in which all replicas take part: how many there are. Its operands are those of this replica; the
// others have their like.
inline constexpr std::string_view kReplicas = "replicas";
// On a Slice of a matrix that has a row for each replica: it takes the replica's own. Here it is that of the first.
inline constexpr std::string_view kOwnRow = "own_row";

}  // namespace foreflow::ir
