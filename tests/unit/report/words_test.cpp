#include "report/words.h"

#include <gtest/gtest.h>

namespace foreflow::report::words_test {
namespace {

TEST(Words, CountsHaveCommas) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1000), "1,000");
  EXPECT_EQ(count(-1234567), "-1,234,567");
}

TEST(Words, NumbersHaveThreeDigitsOrAreWhole) {
  EXPECT_EQ(number(0.012345), "0.0123");
  EXPECT_EQ(number(43.71), "43.7");
  EXPECT_EQ(number(18432.4), "18,432");
}

TEST(Words, BarsFillInEighths) {
  EXPECT_EQ(bar(0, 2, "░"), "░░");
  EXPECT_EQ(bar(0.5, 2, "░"), "█░");
  EXPECT_EQ(bar(3.0 / 16, 2, "░"), "▍░");
  EXPECT_EQ(bar(7, 2, "░"), "██");
}

TEST(Words, NamesThatFollowEachOtherAreARange) {
  EXPECT_EQ(name_ranges({"D1"}, 3), "D1");
  EXPECT_EQ(name_ranges({"D1", "D2"}, 3), "D1, D2");
  EXPECT_EQ(name_ranges({"D1", "D2", "D3", "D7"}, 3), "D1-D3, D7");
  EXPECT_EQ(name_ranges({"D1.comm", "D2.comm", "D3.comm"}, 3), "D1.comm-D3.comm");
  EXPECT_EQ(name_ranges({"D1", "D5", "D9", "D13"}, 2), "D1, D5 … D13 (4)");
  EXPECT_EQ(name_ranges({}, 2), "");
}

}  // namespace
}  // namespace foreflow::report::words_test
