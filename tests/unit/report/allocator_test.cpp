#include "foreflow/report/allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace foreflow::report::allocator_test {
namespace {

constexpr double kMiB = 1 << 20;
constexpr Bytes kRoom = Bytes(80e9);

TEST(CachingAllocator, RoundsSizesUpTo512Bytes) {
  CachingAllocator allocator(kRoom);
  allocator.allocate(Bytes(1));
  EXPECT_EQ(allocator.allocated(), Bytes(512));
  allocator.allocate(Bytes(513));
  EXPECT_EQ(allocator.allocated(), Bytes(512 + 1024));
  EXPECT_EQ(allocator.requested(), Bytes(514));
}

TEST(CachingAllocator, CutsSmallRequestsFromSegmentsOfTwoMebibytes) {
  CachingAllocator allocator(kRoom);
  allocator.allocate(Bytes(kMiB));
  EXPECT_EQ(allocator.reserved(), Bytes(2 * kMiB));
  allocator.allocate(Bytes(kMiB));
  EXPECT_EQ(allocator.reserved(), Bytes(2 * kMiB));
  allocator.allocate(Bytes(512));
  EXPECT_EQ(allocator.reserved(), Bytes(4 * kMiB));
}

TEST(CachingAllocator, CutsMiddlingRequestsFromSegmentsOfTwentyMebibytes) {
  CachingAllocator allocator(kRoom);
  allocator.allocate(Bytes(9 * kMiB));
  allocator.allocate(Bytes(9 * kMiB));
  EXPECT_EQ(allocator.reserved(), Bytes(20 * kMiB));
  allocator.allocate(Bytes(3 * kMiB));  // two are left
  EXPECT_EQ(allocator.reserved(), Bytes(40 * kMiB));
}

TEST(CachingAllocator, GivesLargeRequestsSegmentsOfTheirOwn) {
  CachingAllocator allocator(kRoom);
  allocator.allocate(Bytes(11 * kMiB));
  EXPECT_EQ(allocator.reserved(), Bytes(12 * kMiB));   // to a multiple of two
  EXPECT_EQ(allocator.allocated(), Bytes(12 * kMiB));  // a rest of one is not worth cutting off
}

TEST(CachingAllocator, JoinsFreeNeighbours) {
  CachingAllocator allocator(kRoom);
  const std::vector<int64_t> blocks = {allocator.allocate(Bytes(5 * kMiB)), allocator.allocate(Bytes(5 * kMiB)),
                                       allocator.allocate(Bytes(5 * kMiB)), allocator.allocate(Bytes(5 * kMiB))};
  for (const size_t i : {0U, 2U, 1U}) allocator.free(blocks[i]);
  allocator.allocate(Bytes(9.5 * kMiB));
  EXPECT_EQ(allocator.reserved(), Bytes(20 * kMiB));
}

TEST(CachingAllocator, WastesWhatIsFreeInPieces) {
  CachingAllocator allocator(kRoom);
  std::vector<int64_t> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(allocator.allocate(Bytes(5 * kMiB)));
  allocator.free(blocks[0]);
  allocator.free(blocks[2]);
  allocator.allocate(Bytes(6 * kMiB));  // ten are free, five together at most
  EXPECT_EQ(allocator.reserved(), Bytes(40 * kMiB));
}

TEST(CachingAllocator, GivesFreeSegmentsBackWhereTheDeviceIsFull) {
  CachingAllocator allocator(Bytes(30 * kMiB));
  allocator.free(allocator.allocate(Bytes(20 * kMiB)));
  EXPECT_EQ(allocator.reserved(), Bytes(20 * kMiB));
  allocator.allocate(Bytes(24 * kMiB));
  EXPECT_EQ(allocator.reserved(), Bytes(24 * kMiB));
  EXPECT_EQ(allocator.most_reserved(), Bytes(24 * kMiB));
}

TEST(CachingAllocator, NeverReservesLessThanIsAskedForAndForgetsNothing) {
  std::mt19937_64 random(3);
  CachingAllocator allocator(kRoom);
  std::vector<std::pair<int64_t, Bytes>> alive;
  Bytes requested;
  for (int step = 0; step < 5000; ++step) {
    if (alive.empty() || random() % 5 < 3) {
      const Bytes size(static_cast<double>(1 + random() % (uint64_t{1} << (random() % 26))));
      alive.emplace_back(allocator.allocate(size), size);
      requested += size;
    } else {
      const size_t victim = random() % alive.size();
      allocator.free(alive[victim].first);
      requested -= alive[victim].second;
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    ASSERT_EQ(allocator.requested(), requested);
    ASSERT_LE(allocator.requested(), allocator.allocated());
    ASSERT_LE(allocator.allocated(), allocator.reserved());
  }
  const Bytes reserved = allocator.reserved();
  for (const auto& [block, size] : alive) allocator.free(block);
  EXPECT_EQ(allocator.allocated(), Bytes(0));
  EXPECT_EQ(allocator.reserved(), reserved);
}

}  // namespace
}  // namespace foreflow::report::allocator_test
