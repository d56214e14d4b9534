#include "foreflow/base/table.h"

#include <gtest/gtest.h>

namespace foreflow::table_test {
namespace {

TEST(Table, AlignsColumnsToTheirSides) {
  EXPECT_EQ(aligned({{"name", "n", "also"}, {"a", "100"}, {"b", "2", "x"}}, "<><"),
            "  name    n  also\n  a     100\n  b       2  x\n");
}

TEST(Table, QuotesWhatWouldEndACell) {
  EXPECT_EQ(csv_line({"1", "a, b", "say \"x\"", ""}), "1,\"a, b\",\"say \"\"x\"\"\",\n");
}

TEST(Table, CountsReasonsThatDifferInNumbersTogether) {
  EXPECT_EQ(
      tally({{"tp: 2 does not divide 3; use 1 or 3", 1}, {"pp: no", 1}, {"tp: 4 does not divide 3; use 1, 3 or 9", 1}}),
      "     2 x tp: 2 does not divide 3; use 1 or 3, and the like\n     1 x pp: no\n");
  EXPECT_EQ(tally({{"same 1", 2}}), "     2 x same 1\n");
  EXPECT_EQ(tally({}), "");
}

}  // namespace
}  // namespace foreflow::table_test
