// The mark of a shard in the names of buffers (storage.h).
#pragma once

namespace foreflow::stream {

// Stands for the number of the shard in the names of buffers of all shards but the first.
inline constexpr char kShardMark = '\1';

}  // namespace foreflow::stream
