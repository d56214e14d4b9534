// How names of buffers (storage.h) say that they are those of one of several shards.
#pragma once

namespace foreflow::stream {

// In the names of buffers of shards that are alike: in place of the number of the shard.
inline constexpr char kShardMark = '\1';

}  // namespace foreflow::stream
