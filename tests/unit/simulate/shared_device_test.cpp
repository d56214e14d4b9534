// What computes lose to collectives beside them on the processors of their device.
#include "simulate/shared_device.h"

#include <gtest/gtest.h>

namespace foreflow::simulate::shared_device_test {
namespace {

constexpr double kShare = 24.0 / 108;

TEST(SharedDevice, LosesItsShareOfTheTimeOfACollective) {
  SharedDevice computes;
  computes.computed(0, 10);
  EXPECT_DOUBLE_EQ(computes.lost_to(1, 4, kShare), kShare * 4);
}

// While all that computes is beside collectives, it takes 1 / (1 - s) times as long.
TEST(SharedDevice, LosesNoMoreThanItComputes) {
  SharedDevice computes;
  computes.computed(0, 10);
  EXPECT_DOUBLE_EQ(10 + computes.lost_to(1, 1000, kShare), 10 / (1 - kShare));
}

TEST(SharedDevice, CountsFromWhereTheStreamsLastMet) {
  SharedDevice computes;
  computes.computed(0, 10);
  computes.lost_to(1, 4, kShare);
  computes.computed(10, 20);
  EXPECT_DOUBLE_EQ(computes.lost_to(1, 5, kShare), kShare * 1);
  EXPECT_DOUBLE_EQ(computes.lost_to(2, 3, kShare), kShare * 3);
  EXPECT_EQ(computes.lost_to(1, 9, kShare), 0);
}

TEST(SharedDevice, LosesNothingWhereItComputesNothing) {
  SharedDevice computes;
  EXPECT_EQ(computes.lost_to(1, 4, kShare), 0);
}

}  // namespace
}  // namespace foreflow::simulate::shared_device_test
