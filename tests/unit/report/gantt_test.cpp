#include "foreflow/report/gantt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foreflow::report::gantt_test {
namespace {

Bar bar(double start, double end, int number, const std::string& title = "") {
  return {Seconds(start), Seconds(end), number, title};
}

TEST(Gantt, ShowsWhatRunsInTheMiddleOfEachColumn) {
  const std::vector<GanttRow> rows = {{"a", {bar(0, 2, 0), bar(2, 4, 10)}}, {"long", {bar(1, 3, 36)}}};
  EXPECT_EQ(draw_text(rows, Seconds(4), 8),
            "a    |0000aaaa|\n"
            "long |..AAAA..|\n");
}

TEST(Gantt, MarksSeveralAtOnce) {
  EXPECT_EQ(draw_text({{"a", {bar(0, 3, 1), bar(1, 2, 2)}}}, Seconds(4), 4), "a |1#1.|\n");
}

TEST(Gantt, KeepsEachRowOnItsLine) { EXPECT_EQ(draw_text({{"a\nb", {bar(0, 1, 0)}}}, Seconds(1), 2), "a\\nb |00|\n"); }

TEST(Gantt, EscapesNamesInPictures) {
  const std::string picture = draw_svg({{"<a>", {bar(0, 1, 0, "x & y")}}}, Seconds(1), "\"t\"");
  EXPECT_THAT(picture, testing::HasSubstr("&lt;a&gt;"));
  EXPECT_THAT(picture, testing::HasSubstr("<title>x &amp; y</title>"));
  EXPECT_THAT(picture, testing::Not(testing::HasSubstr("<a>")));
}

TEST(Gantt, PutsBarsThatOverlapBelowEachOther) {
  const std::string picture = draw_svg({{"a", {bar(0, 2, 0), bar(1, 3, 1), bar(2, 3, 2)}}}, Seconds(3), "t");
  EXPECT_THAT(picture, testing::HasSubstr("height=\"13.0\""));  // two lanes of a row of 26
}

}  // namespace
}  // namespace foreflow::report::gantt_test
