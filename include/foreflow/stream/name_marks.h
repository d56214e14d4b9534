// The marks of a shard and of a rank in the names of buffers (storage.h).
#pragma once

namespace foreflow::stream {

// Stand for the number of the shard, or of the rank, in the names of buffers of all but the first one.
inline constexpr char kShardMark = '\1', kRankMark = '\2';

}  // namespace foreflow::stream
