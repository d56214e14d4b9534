#include "simulate/rounds/left_out.h"

#include <gtest/gtest.h>

namespace foreflow::simulate::left_out_test {
namespace {

using Numbers = std::vector<int64_t>;

// What is run and what is left out are all that is left.
void expect_complete(const std::vector<Remaining>& parts, const LeftOut& left) {
  for (size_t p = 0; p < parts.size(); ++p)
    EXPECT_EQ(left.more[p] + left.times * left.each[p] * parts[p].loops, parts[p].left) << p;
}

TEST(LeftOut, IsAllOfOnePartPeriodByPeriod) {
  const LeftOut left = left_out({{60, 1, 8}});
  EXPECT_EQ(left.times, 60);
  EXPECT_EQ(left.each, Numbers{1});
  EXPECT_EQ(left.more, Numbers{0});
}

TEST(LeftOut, IsNoPartOfAPeriod) {
  const LeftOut left = left_out({{62, 14, 8}});
  EXPECT_EQ(left.times, 4);
  EXPECT_EQ(left.each, Numbers{1});
  EXPECT_EQ(left.more, Numbers{6});
}

TEST(LeftOut, OfPartsWithOtherPeriodsIsAsOftenForAll) {
  const std::vector<Remaining> parts{{60, 1, 8}, {59, 2, 8}, {40, 3, 8}};
  const LeftOut left = left_out(parts);
  expect_complete(parts, left);
  EXPECT_GT(left.times, 1);
  for (const int64_t more : left.more) EXPECT_LT(more, 20);
}

// A part of many streams runs as little as possible, at the cost of small ones.
TEST(LeftOut, CostsLeastForLargeParts) {
  const LeftOut left = left_out({{60, 1, 100'000}, {7, 7, 1}});
  EXPECT_EQ(left.times, 60);
  EXPECT_EQ(left.each, (Numbers{1, 0}));
  EXPECT_EQ(left.more, (Numbers{0, 7}));
}

TEST(LeftOut, IsNothingWhereAllRoundsAreRun) {
  const LeftOut left = left_out({{0, 1, 8}, {2, 3, 8}});
  EXPECT_EQ(left.times, 0);
  EXPECT_EQ(left.each, (Numbers{0, 0}));
  EXPECT_EQ(left.more, (Numbers{0, 2}));
}

}  // namespace
}  // namespace foreflow::simulate::left_out_test
