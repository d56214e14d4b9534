// Attributes of a program that represents others: one replica represents all, which differ only in their data; the
// first two shards of tensor parallelism represent all, because the second one does what every later one does.
#pragma once

#include <string_view>

#include "foreflow/ir/attributes.h"

namespace foreflow::ir {

// On a collective of all replicas: their number. The operands are those of this replica; every other replica
// contributes its own.
inline constexpr std::string_view kReplicas = "replicas";
// On a Slice of a matrix that has as many rows for each replica, those of the next one behind it: every replica takes
// its own row. The program takes that of replica 0.
inline constexpr std::string_view kOwnRow = "own_row";

// On an optimizer: the number of parts of the weight that as many ranks update, each of which has the whole gradient.
inline constexpr std::string_view kSharers = "sharers";

// On a collective of all shards, in a program that has only the first two: the number of all. The first operand is that
// of the first shard; the second operand represents those of all others. A collective of several such groups has two
// operands for each.
inline constexpr std::string_view kShards = "shards";
// Replaces the number of the shard in the names of values of the second shard.
inline constexpr char kShardMark = '\1';

// The number of participants of a collective that has `operands` operands in the program.
inline size_t ranks_of(const Attributes& attributes, size_t operands) {
  const auto shards    = static_cast<size_t>(attributes.int_or(kShards, 0));
  const size_t written = shards > 0 && operands > 1 ? shards * (operands / 2) : operands;
  return written * static_cast<size_t>(attributes.int_or(kReplicas, 1));
}

}  // namespace foreflow::ir
