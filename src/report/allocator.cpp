#include "foreflow/report/allocator.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "report/memory_curve.h"
#include "report/playback.h"

namespace foreflow::report {
namespace {

constexpr int64_t kMiB = 1 << 20;
// The same constants in PyTorch: kMinBlockSize, kSmallSize, kSmallBuffer, kLargeBuffer, kMinLargeAlloc, kRoundLarge.
constexpr int64_t kSmallestBlock = 512, kSmallSize = kMiB, kSmallSegment = 2 * kMiB, kLargeSegment = 20 * kMiB,
                  kOwnSegment = 10 * kMiB, kRoundSegment = 2 * kMiB;

int64_t rounded(int64_t size, int64_t to) { return (size + to - 1) / to * to; }

}  // namespace

int64_t CachingAllocator::allocate(Bytes asked) {
  const auto bytes   = static_cast<int64_t>(std::ceil(asked.value()));
  const int64_t size = std::max(rounded(bytes, kSmallestBlock), kSmallestBlock);
  const bool small   = size <= kSmallSize;
  Free& free         = pool(small);
  const auto found   = free.lower_bound({size, 0});
  int64_t number     = found == free.end() ? segment_for(size, small) : found->second;
  if (found != free.end()) free.erase(found);
  const int64_t left = blocks_.at(number).size - size;
  if (small ? left >= kSmallestBlock : left > kSmallSize) cut(number, size);
  Block& block = blocks_.at(number);
  block.used   = true;
  block.asked  = bytes;
  requested_ += bytes;
  allocated_ += block.size;
  most_requested_ = std::max(most_requested_, requested_);
  most_allocated_ = std::max(most_allocated_, allocated_);
  return number;
}

// A new segment as one block.
int64_t CachingAllocator::segment_for(int64_t size, bool small) {
  const int64_t segment = small ? kSmallSegment : size < kOwnSegment ? kLargeSegment : rounded(size, kRoundSegment);
  if (reserved_ + segment > capacity_) give_back_free_segments();
  reserved_ += segment;
  most_reserved_       = std::max(most_reserved_, reserved_);
  const int64_t number = next_block_++;
  blocks_[number]      = {next_segment_++, 0, segment, 0, small, true, -1, -1};
  return number;
}

// Cuts the block to `size` bytes and makes the rest a free block.
void CachingAllocator::cut(int64_t number, int64_t size) {
  Block& block       = blocks_.at(number);
  const int64_t rest = next_block_++;
  Block tail{block.segment, block.offset + size, block.size - size, 0, block.small, false, number, block.after};
  block.size = size;
  if (block.after >= 0) blocks_.at(block.after).before = rest;
  block.after = rest;
  pool(tail.small).insert({tail.size, rest});
  blocks_[rest] = tail;
}

void CachingAllocator::free(int64_t number) {
  Block& block = blocks_.at(number);
  FOREFLOW_CHECK(block.used, "a block is freed once");
  requested_ -= block.asked;
  allocated_ -= block.size;
  block.used = false;
  if (block.after >= 0 && !blocks_.at(block.after).used) join(number, block.after);
  if (block.before >= 0 && !blocks_.at(block.before).used) {
    const int64_t before = block.before;
    pool(block.small).erase({blocks_.at(before).size, before});
    join(before, number);
    number = before;
  }
  const Block& whole = blocks_.at(number);
  pool(whole.small).insert({whole.size, number});
}

// Merges the free block `other`, which follows the block, into it.
void CachingAllocator::join(int64_t number, int64_t other) {
  Block& block      = blocks_.at(number);
  const Block taken = blocks_.at(other);
  pool(taken.small).erase({taken.size, other});
  block.size += taken.size;
  block.after = taken.after;
  if (taken.after >= 0) blocks_.at(taken.after).before = number;
  blocks_.erase(other);
}

void CachingAllocator::give_back_free_segments() {
  for (Free* free : {&small_, &large_}) {
    for (auto entry = free->begin(); entry != free->end();) {
      const Block& block = blocks_.at(entry->second);
      if (block.before >= 0 || block.after >= 0) {
        ++entry;
        continue;
      }
      reserved_ -= block.size;
      blocks_.erase(entry->second);
      entry = free->erase(entry);
    }
  }
}

AllocatorUse replay_allocations(const stream::Program& program, const stream::Timeline& timeline, int device,
                                Bytes capacity) {
  const stream::Storage& storage    = *nth(program.devices, device).storage;
  const stream::Trail trail         = stream::trail(program, device);
  const std::vector<size_t> streams = nth(streams_by_device(program), device);
  CachingAllocator allocator(capacity);
  std::vector<int64_t> blocks(trail.buffers.size(), -1);
  const auto apply = [&](const stream::Trail::Change& change) {
    int64_t& block   = nth(blocks, change.buffer);
    const Bytes size = nth(storage.buffers, nth(trail.buffers, change.buffer)).size;
    if (size <= Bytes(0)) return;
    if (block >= 0) allocator.free(block);
    block = change.made ? allocator.allocate(size) : -1;
  };
  for (size_t i = 0; i < trail.initial; ++i) apply({static_cast<int32_t>(i), true});
  play(
      timeline, streams,
      [&](const Played& played, Seconds) {
        const stream::Trail::Row& row = trail.rows[played.stream];
        const size_t item             = played.item % (row.first.size() - 1);  // again in each iteration of a job
        for (uint32_t i = row.first[item]; i < row.first[item + 1]; ++i) apply(row.changes[i]);
      },
      [](const Played&, Seconds) {});
  return {allocator.most_requested(), allocator.most_allocated(), allocator.most_reserved()};
}

}  // namespace foreflow::report
