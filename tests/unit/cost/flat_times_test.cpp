#include "cost/flat_times.h"

#include <gtest/gtest.h>

namespace foreflow::cost::flat_times_test {
namespace {

constexpr double kLaunch = 10e-6;
const platform::Device kDevice{
    "gpu0", "test", "node0", Bytes(1e9), BytesPerSecond(1e12), {{"f32", FlopsPerSecond(1e13)}}, Seconds(kLaunch)};

Point point(double bytes, double seconds) { return {"a", Flops(bytes / 12), Bytes(bytes), Seconds(seconds)}; }

double time_of(std::vector<Point> points, double bytes) {
  const Family family{"Add", "f32", 1, {}, std::move(points)};
  return time_beside(family, {"Add", "f32", "never measured", 1, Flops(bytes / 12), Bytes(bytes)}, 1, kDevice).value();
}

TEST(FlatTimes, OfALaunchAreThoseOfOtherWork) {
  for (const double bytes : {12.0, 96.0, 1e9}) EXPECT_EQ(time_of({point(192, 3e-6)}, bytes), 3e-6);
}

TEST(FlatTimes, OfLargeWorkAreInProportionBesideTheLaunch) {
  for (const double share : {0.001, 0.5, 4.0})
    EXPECT_NEAR(time_of({point(1e9, 2e-3)}, share * 1e9), kLaunch + share * (2e-3 - kLaunch), 1e-12);
}

// A twentieth of a percent of the bandwidth, as an interpreter may reach it: no launch takes 20 ms.
TEST(FlatTimes, OfALongTimeAreInProportionWhateverTheDataSheetSays) {
  EXPECT_NEAR(time_of({point(1e7, 20e-3)}, 5e6), kLaunch + (20e-3 - kLaunch) / 2, 1e-12);
}

TEST(FlatTimes, FollowTheNearestPoint) {
  const std::vector<Point> points{point(1e9, 2e-3), point(1.2e9, 2.1e-3)};
  EXPECT_NEAR(time_of(points, 2.4e9), kLaunch + 2 * (2.1e-3 - kLaunch), 1e-12);
  EXPECT_NEAR(time_of(points, 5e8), kLaunch + (2e-3 - kLaunch) / 2, 1e-12);
}

TEST(FlatTimes, OfNoWorkAreAsMeasured) { EXPECT_EQ(time_of({point(0, 5e-3)}, 12), 5e-3); }

}  // namespace
}  // namespace foreflow::cost::flat_times_test
