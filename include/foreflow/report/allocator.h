// Model of a framework's memory allocator: how much it reserves from the driver for the buffers of a device, and how
// much of that is overhead.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "foreflow/base/units.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// PyTorch's caching allocator with its defaults (c10/cuda/CUDACachingAllocator.cpp):
//   1. Sizes are rounded up to 512 B.
//   2. Requests of at most 1 MiB (small) are cut from segments of 2 MiB, those below 10 MiB from segments of 20 MiB.
//      Larger ones get a segment of their own size, rounded up to 2 MiB.
//   3. A request takes the smallest free block that is large enough. The rest of the block stays free if it is at least
//      512 B (small) or more than 1 MiB (others); otherwise it is wasted.
//   4. Free neighbours in a segment merge. Blocks never move.
//   5. Segments stay reserved. Only when the device is full, entirely free segments are returned before a new one is
//      reserved.
//
// Example: a first request of 1000 B is rounded to 1024 B and reserves 2 MiB. A second request of 1 MiB fits into the
// rest of that segment, and `reserved` stays at 2 MiB.
class CachingAllocator {
 public:
  explicit CachingAllocator(Bytes capacity) : capacity_(static_cast<int64_t>(capacity.value())) {}

  // The number of the block, for `free`.
  int64_t allocate(Bytes size);
  void free(int64_t block);

  Bytes requested() const { return Bytes(static_cast<double>(requested_)); }  // live buffers, sizes as requested
  Bytes allocated() const { return Bytes(static_cast<double>(allocated_)); }  // live buffers, rounded sizes
  Bytes reserved() const { return Bytes(static_cast<double>(reserved_)); }    // segments held
  Bytes most_requested() const { return Bytes(static_cast<double>(most_requested_)); }
  Bytes most_allocated() const { return Bytes(static_cast<double>(most_allocated_)); }
  Bytes most_reserved() const { return Bytes(static_cast<double>(most_reserved_)); }

 private:
  struct Block {
    int64_t segment, offset, size, asked = 0;
    bool small, used = true;
    int64_t before = -1, after = -1;  // neighbours in the segment
  };
  using Free = std::set<std::pair<int64_t, int64_t>>;  // size, number

  Free& pool(bool small) { return small ? small_ : large_; }
  int64_t segment_for(int64_t size, bool small);
  void cut(int64_t number, int64_t size);
  void join(int64_t number, int64_t other);
  void give_back_free_segments();

  const int64_t capacity_;
  std::map<int64_t, Block> blocks_;
  Free small_, large_;
  int64_t next_block_ = 0, next_segment_ = 0;
  int64_t requested_ = 0, allocated_ = 0, reserved_ = 0, most_requested_ = 0, most_allocated_ = 0, most_reserved_ = 0;
};

struct AllocatorUse {
  Bytes requested, allocated, reserved;  // each its maximum over time
  Bytes overhead() const { return reserved - requested; }
};

// Replays the buffers of one device in order of time; those of an item are allocated when it begins. Requires: `device`
// is an index into Program::devices, and that device has a storage.
AllocatorUse replay_allocations(const stream::Program& program, const stream::Timeline& timeline, int device,
                                Bytes capacity);

}  // namespace foreflow::report
