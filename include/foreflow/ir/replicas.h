// Attributes of a program that represents others: one replica represents all, which differ only in their data; the
// first two shards of tensor parallelism, or ranks that share experts, represent all, because the second one does what
// every later one does (ir/written_devices.h).
#pragma once

#include <string>
#include <string_view>

#include "foreflow/ir/attributes.h"
#include "foreflow/ir/written_devices.h"

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
// The same for ranks that share experts.
inline constexpr std::string_view kRanks = "ranks";
// Replace the number of the shard, or of the rank, in the names of values of the second one.
inline constexpr char kShardMark = '\1', kRankMark = '\2';

// The attributes of a collective of all devices of stages of which these are written.
inline Attributes of_written(const WrittenDevices& written) {
  Attributes attributes;
  if (written.shards > 0) attributes.set(std::string(kShards), int64_t{written.shards});
  if (written.ranks > 0) attributes.set(std::string(kRanks), int64_t{written.ranks});
  return attributes;
}

// Returns the number of devices of a replica for which `operands` operands of a collective stand.
inline size_t represented_by(const Attributes& attributes, size_t operands) {
  if (operands < 2) return operands;
  for (const std::string_view of : {kShards, kRanks}) {
    const auto all = static_cast<size_t>(attributes.int_or(of, 0));
    if (all > 0) operands = operands * all / 2;
  }
  return operands;
}

// The number of participants of a collective that has `operands` operands in the program.
inline size_t ranks_of(const Attributes& attributes, size_t operands) {
  return represented_by(attributes, operands) * static_cast<size_t>(attributes.int_or(kReplicas, 1));
}

}  // namespace foreflow::ir
