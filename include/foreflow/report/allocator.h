// How a framework's allocator serves the buffers of a device: what it asks the driver for, and what it wastes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "foreflow/base/units.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// PyTorch's caching allocator (c10/cuda/CUDACachingAllocator.cpp, its defaults): sizes are rounded up to 512 B;
// requests of at most 1 MiB are cut from segments of 2 MiB, those below 10 MiB from segments of 20 MiB, larger ones
// have segments of their own size rounded up to 2 MiB. A request takes the smallest free block that is large enough and
// is cut off it where more than 512 B (small) or 1 MiB (large) are left; neighbours in a segment join when they are
// free, and nothing ever moves. Segments stay reserved, unless the device is full: then those that are free go back
// before a new one is asked for.
class CachingAllocator {
 public:
  explicit CachingAllocator(Bytes capacity) : capacity_(static_cast<int64_t>(capacity.value())) {}

  // The number of the block, for `free`.
  int64_t allocate(Bytes size);
  void free(int64_t block);

  Bytes requested() const { return Bytes(static_cast<double>(requested_)); }  // by what is alive
  Bytes allocated() const { return Bytes(static_cast<double>(allocated_)); }  // the same in rounded sizes
  Bytes reserved() const { return Bytes(static_cast<double>(reserved_)); }    // segments
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
  Bytes requested, allocated, reserved;  // the most at any time
  Bytes overhead() const { return reserved - requested; }
};

// The buffers of one device (an index into Program::devices, which has a storage), in the order of time: those of an
// item are asked for when it begins.
AllocatorUse replay_allocations(const stream::Program& program, const stream::Timeline& timeline, int device,
                                Bytes capacity);

}  // namespace foreflow::report
