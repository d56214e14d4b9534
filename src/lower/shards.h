// Writes out all shards of a program that has only the first two (ir/replicas.h).
#pragma once

#include <optional>

#include "foreflow/stream/compact.h"

namespace foreflow::lower {

// In `two`, D1 and D2 represent D1 .. D`shards`, D3 and D4 the next `shards` devices, and so on; its of_replica counts
// all shards. Procedures number their devices in the same pairs; nothing if one of them does not.
std::optional<stream::CompactProgram> all_shards(const stream::CompactProgram& two, int32_t shards);

}  // namespace foreflow::lower
