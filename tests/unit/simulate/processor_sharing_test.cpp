// What computes lose to collectives beside them on the processors of their device.
#include "simulate/streams/processor_sharing.h"

#include <gtest/gtest.h>

namespace foreflow::simulate::processor_sharing_test {
namespace {

constexpr double kShare = 24.0 / 108;

TEST(ProcessorSharing, LosesItsShareOfTheTimeOfACollective) {
  ProcessorSharing computes;
  computes.computed(0, 10);
  EXPECT_DOUBLE_EQ(computes.lost_to(1, 6, 4, kShare), kShare * 4);
}

// While all that computes is beside a collective, it takes 1 / (1 - s) times as long.
TEST(ProcessorSharing, LosesNoMoreThanItComputes) {
  ProcessorSharing computes;
  computes.computed(0, 10);
  EXPECT_DOUBLE_EQ(10 + computes.lost_to(1, 1000, 1000, kShare), 10 / (1 - kShare));
}

TEST(ProcessorSharing, CountsEachCollectiveOnce) {
  ProcessorSharing computes;
  computes.computed(0, 10);
  EXPECT_DOUBLE_EQ(computes.lost_to(1, 6, 4, kShare), kShare * 4);
  EXPECT_DOUBLE_EQ(computes.lost_to(1, 9, 7, kShare), kShare * 3);
  EXPECT_EQ(computes.lost_to(1, 9, 7, kShare), 0);
}

TEST(ProcessorSharing, LosesNothingWhereItWaits) {
  ProcessorSharing computes;
  computes.computed(0, 10);
  computes.computed(20, 30);
  EXPECT_DOUBLE_EQ(computes.lost_to(1, 25, 20, kShare), kShare * 10);
  EXPECT_DOUBLE_EQ(computes.lost_to(2, 19, 8, kShare), 0);
}

TEST(ProcessorSharing, LosesNothingWhereItComputesNothing) {
  ProcessorSharing computes;
  EXPECT_EQ(computes.lost_to(1, 4, 4, kShare), 0);
}

}  // namespace
}  // namespace foreflow::simulate::processor_sharing_test
