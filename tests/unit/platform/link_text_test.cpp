#include "platform/link_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace foreflow::platform {
namespace {

TEST(LinkText, UsesTheUnitsOfDataSheets) {
  EXPECT_EQ(to_text(BytesPerSecond(12.5e9)), "12.5GBps");
  EXPECT_EQ(to_text(12.5e9 / 3 * BytesPerSecond(2)), "8333333333.333333Bps");
  EXPECT_EQ(to_text(parse_seconds("150ns", "test")), "150ns");
  EXPECT_EQ(to_text(parse_seconds("0.7us", "test")), "0.7us");
  EXPECT_EQ(to_text(parse_seconds("4.15us", "test")), "4.15us");
  EXPECT_EQ(to_text(Seconds(0)), "0us");
}

TEST(LinkText, ReadsBackAsTheSameNumber) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 12);
  for (int i = 0; i < 2000; ++i) {
    const double number = std::pow(10, exponent(random));
    const Seconds time(number);
    const BytesPerSecond bandwidth(number);
    EXPECT_EQ(parse_seconds(to_text(time), "test"), time) << to_text(time);
    EXPECT_EQ(parse_bandwidth(to_text(bandwidth), "test"), bandwidth) << to_text(bandwidth);
  }
}

}  // namespace
}  // namespace foreflow::platform
