#include "reproduce/statistics.h"

#include <gtest/gtest.h>

#include "foreflow/reproduce/reproduce.h"

namespace foreflow::reproduce::statistics_test {
namespace {

TEST(Statistics, SpearmanLooksAtTheOrderAlone) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {10, 100, 1000, 1001}), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(spearman({1, 1, 1}, {1, 2, 3}), 0);
  // 1 - 6 * (sum of squared differences of ranks) / (n (n^2 - 1)), here 1 - 6 * 4 / 60
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {1, 4, 3, 2}), 1 - 6 * 8.0 / 60);
}

TEST(Statistics, EqualNumbersShareARank) { EXPECT_NEAR(spearman({1, 2, 2, 3}, {1, 2, 3, 4}), 0.948683, 1e-6); }

TEST(Agreement, CountsRowsWithAnError) {
  const Result result{{compare("a", 2, 3), compare("b", 10, 9), Row{"c", {}, 5.0, {}, {}}}, {}};
  const Agreement found = agreement(result);
  EXPECT_DOUBLE_EQ(*found.mape, 0.3);
  EXPECT_DOUBLE_EQ(*found.worst, 0.5);
  EXPECT_FALSE(found.spearman.has_value());  // two rows are no ranking
}

TEST(Agreement, OfNothingIsNothing) {
  const Agreement found = agreement({});
  EXPECT_FALSE(found.mape || found.worst || found.spearman);
}

}  // namespace
}  // namespace foreflow::reproduce::statistics_test
