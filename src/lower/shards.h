// Writes out all shards of a program that has the first two of them (ir/replicas.h).
#pragma once

#include <optional>

#include "foreflow/stream/compact.h"

namespace foreflow::lower {

// `two` has D1 and D2 for D1 .. D`shards`, D3 and D4 for the next ones, and so on; its of_replica counts all. Its
// procedures, too, have shards in these pairs; nothing where one has not.
std::optional<stream::CompactProgram> all_shards(const stream::CompactProgram& two, int32_t shards);

}  // namespace foreflow::lower
