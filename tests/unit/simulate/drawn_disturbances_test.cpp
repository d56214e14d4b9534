// Disturbances whose devices and links are drawn at random.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "support/machine.h"

namespace foreflow::simulate::drawn_disturbances_test {
namespace {

platform::Platform star(int devices) { return test::star(devices, BytesPerSecond(1e9), Seconds(0)); }

std::vector<int> slow(double share, uint64_t seed, int devices) {
  std::vector<int> all;
  for (const Slowdown& one : drawn({.stragglers = {share, 1.5, seed}}, star(devices)).slowdowns)
    all.push_back(one.device);
  return all;
}

TEST(Stragglers, AreAsManyAsTheirShare) {
  EXPECT_TRUE(slow(0, 1, 50).empty());
  EXPECT_EQ(slow(1, 1, 50).size(), 50U);
  size_t count = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) count += slow(0.1, seed, 50).size();
  EXPECT_NEAR(static_cast<double>(count), 500, 85);  // four standard deviations
}

// So that the same device is slow in two machines of different sizes.
TEST(Stragglers, DependOnTheSeedAndTheNumberOnly) {
  const std::vector<int> few = slow(0.3, 9, 20), many = slow(0.3, 9, 60);
  ASSERT_FALSE(few.empty());
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(few, slow(0.3, 10, 20));
}

TEST(Stragglers, AreDrawnOnce) {
  const platform::Platform platform = star(20);
  const Disturbances once           = drawn({.stragglers = {0.5, 2, 3}}, platform);
  EXPECT_EQ(drawn(once, platform).slowdowns.size(), once.slowdowns.size());
  EXPECT_NO_THROW(check(once, platform));
  EXPECT_THROW(check({.stragglers = {0.5, 2, 3}}, platform), Error);
}

TEST(LinkLoss, LeavesTheGivenTraces) {
  const platform::Platform platform = star(4);
  Disturbances given                = {.links = {{0, {{Seconds(1), 0.1}}}}, .link_loss = {1, 0.5, 3}};
  const Disturbances all            = drawn(given, platform);
  ASSERT_EQ(all.links.size(), platform.links().size());
  EXPECT_EQ(all.links[0].changes[0].factor, 0.1);
  for (size_t i = 1; i < all.links.size(); ++i) EXPECT_EQ(all.links[i].changes[0].factor, 0.5);
  EXPECT_NO_THROW(check(all, platform));
}

TEST(LeastFactor, IsThatOfWhatShortens) {
  EXPECT_EQ(least_factor({}), 1);
  EXPECT_EQ(least_factor({.stragglers = {0.5, 2, 0}, .link_loss = {0.5, 0.5, 0}}), 1);
  EXPECT_EQ(least_factor({.jitter = {0.25, 0}}), 0.75);
  EXPECT_EQ(least_factor({.slowdowns = {{0, 0.5}, {0, 0.5}, {1, 0.5}, {1, 4}}}), 0.25);
  EXPECT_EQ(least_factor({.links = {{0, {{Seconds(0), 0.5}, {Seconds(1), 4}}}}}), 0.25);
}

}  // namespace
}  // namespace foreflow::simulate::drawn_disturbances_test
