#include "foreflow/platform/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace foreflow::platform::placement_test {
namespace {

// Three nodes with 3, 1 and 2 devices: a0 a1 a2 | b0 | c0 c1.
Platform unequal_nodes() {
  std::vector<Device> devices;
  for (const char* name : {"a0", "a1", "a2", "b0", "c0", "c1"})
    devices.push_back({name, "test", std::string(1, name[0]), Bytes(1), BytesPerSecond(1), {}, Seconds(0)});
  return Platform("unequal", devices, {}, std::vector<Route>(36));
}

std::vector<int> ordered(const std::string& policy, std::vector<int> candidates, uint64_t seed = 0) {
  return placements().get(policy, "test").order(unequal_nodes(), std::move(candidates), seed);
}

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5};

TEST(Packed, FillsOneNodeAfterAnother) {
  EXPECT_EQ(ordered("packed", kAll), kAll);
  EXPECT_EQ(ordered("packed", {5, 0, 3}), (std::vector<int>{0, 3, 5}));
}

TEST(Spread, GoesRoundTheNodesAndPassesOverFullOnes) {
  EXPECT_EQ(ordered("spread", kAll), (std::vector<int>{0, 3, 4, 1, 5, 2}));
  EXPECT_EQ(ordered("spread", {0, 1, 4, 5}), (std::vector<int>{0, 4, 1, 5}));
}

TEST(Explicit, KeepsTheOrder) { EXPECT_EQ(ordered("explicit", {4, 0, 3}), (std::vector<int>{4, 0, 3})); }

// Worked out by hand from the first numbers of MT19937-64 with seed 5489, which the C++ standard and the generator's
// authors state: 14514284786278117030, 4620546740167642908, 13109570281517897720, 17462938647148434322,
// 355488278567739596. Modulo 6, 5, 4, 3, 2 they are 4, 3, 0, 1, 0.
TEST(Random, IsTheShuffleOfFisherAndYatesOnTheMersenneTwister) {
  std::vector<int> expected = kAll;
  std::swap(expected[5], expected[14514284786278117030ULL % 6]);
  std::swap(expected[4], expected[4620546740167642908ULL % 5]);
  std::swap(expected[3], expected[13109570281517897720ULL % 4]);
  std::swap(expected[2], expected[17462938647148434322ULL % 3]);
  std::swap(expected[1], expected[355488278567739596ULL % 2]);
  EXPECT_EQ(ordered("random", kAll, 5489), expected);
}

TEST(Random, IsAPermutationThatDependsOnTheSeedOnly) {
  std::vector<int> many(97);
  std::iota(many.begin(), many.end(), 0);
  std::vector<Device> devices(many.size());
  const Platform platform("many", devices, {}, std::vector<Route>(many.size() * many.size()));
  const PlacementDef& random = placements().get("random", "test");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> shuffled = random.order(platform, many, seed);
    std::vector<int> backwards(many.rbegin(), many.rend());
    EXPECT_EQ(shuffled, random.order(platform, backwards, seed));
    EXPECT_NE(shuffled, random.order(platform, many, seed + 1));
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, many);
  }
}

}  // namespace
}  // namespace foreflow::platform::placement_test
