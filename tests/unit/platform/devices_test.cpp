#include <gtest/gtest.h>

#include "foreflow/platform/platform.h"

namespace foreflow::platform::devices_test {
namespace {

TEST(SameSpeed, AsksForEverythingThatSetsTheTimeOfAnOpAndNothingElse) {
  const Device one{"d0", "K", "n0", Bytes(8), BytesPerSecond(4), {{"f32", FlopsPerSecond(2)}}, Seconds(1)};
  EXPECT_TRUE(same_speed(one, one));
  Device elsewhere = one;
  elsewhere.name   = "d1";
  elsewhere.node   = "n1";
  elsewhere.memory = Bytes(16);
  EXPECT_TRUE(same_speed(one, elsewhere));
  std::vector<Device> others(4, one);
  others[0].kind             = "L";
  others[1].memory_bandwidth = BytesPerSecond(5);
  others[2].peaks["f16"]     = FlopsPerSecond(4);
  others[3].launch           = Seconds(0);
  for (const Device& other : others) EXPECT_FALSE(same_speed(one, other));
}

}  // namespace
}  // namespace foreflow::platform::devices_test
