// Predicted against published numbers as a picture; places worked out by hand.
#include "foreflow/reproduce/scatter.h"

#include <gtest/gtest.h>

#include "foreflow/base/error.h"

namespace foreflow::reproduce::scatter_test {
namespace {

Result result(const std::vector<std::pair<double, double>>& numbers) {
  Result made;
  for (const auto& [published, ours] : numbers) made.rows.push_back(compare("row", published, ours));
  return made;
}

size_t count(const std::string& text, const std::string& part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

// Both axes go from 1 to 100 over 480 units, from (64, 496): 10 is in the middle.
TEST(Scatter, PutsEachRowAtItsNumbers) {
  const Result some      = result({{1, 10}, {100, 100}});
  const std::string text = draw_scatter({{"a<b", &some}});
  EXPECT_NE(text.find("<circle cx=\"64.0\" cy=\"256.0\" r=\"3\"/>"), std::string::npos);
  EXPECT_NE(text.find("<circle cx=\"544.0\" cy=\"16.0\" r=\"3\"/>"), std::string::npos);
  EXPECT_EQ(count(text, "r=\"3\""), 2u);
  EXPECT_NE(text.find("a&lt;b: 2, 450.0 %"), std::string::npos);  // 900 % and 0 %
}

TEST(Scatter, LeavesOutRowsWithoutTwoNumbers) {
  Result some = result({{2, 3}});
  some.rows.push_back({"choice", "1/2", "2/1"});
  some.rows.push_back({"unpublished", {}, 4.0});
  EXPECT_EQ(count(draw_scatter({{"a", &some}}), "r=\"3\""), 1u);
  some.rows.erase(some.rows.begin());
  EXPECT_THROW(draw_scatter({{"a", &some}}), Error);
}

}  // namespace
}  // namespace foreflow::reproduce::scatter_test
