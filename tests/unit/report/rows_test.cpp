#include "report/rows.h"

#include <gtest/gtest.h>

#include "unit/report/example.h"

namespace foreflow::report::rows_test {
namespace {

using test::Example;
using test::example;

TEST(Rows, StreamsThatDifferHaveTheirOwn) {
  const Example one = example();
  EXPECT_EQ(equal_streams(one.program, one.timeline).size(), 2u);
}

TEST(Rows, StreamsThatDoTheSameAtTheSameTimeShareOne) {
  Example one             = example();
  one.program.streams[1]  = one.program.streams[0];
  one.timeline.records[1] = one.timeline.records[0];
  one.timeline.records[1][0].end += Seconds(1e-9);  // an engine's rounding
  const std::vector<Row> rows = equal_streams(one.program, one.timeline);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].streams, (std::vector<size_t>{0, 1}));
}

TEST(Rows, StreamsCanBeToldOneByOne) {
  Example one             = example();
  one.program.streams[1]  = one.program.streams[0];
  one.timeline.records[1] = one.timeline.records[0];
  one.program.streams.push_back({"D2.comm", 1, {}});  // nothing to tell
  one.timeline.records.emplace_back();
  const std::vector<Row> rows = all_streams(one.program);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].streams, (std::vector<size_t>{1}));
}

TEST(Blocks, StandWhereTheirItemsRan) {
  const Example one               = example();
  const std::vector<Block> blocks = report::blocks(one.program, one.timeline, 1, 100);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].left, 300);
  EXPECT_EQ(blocks[1].right, 700);
  EXPECT_EQ(blocks[1].name, "@stage2_backward");
  EXPECT_EQ(blocks[1].family->name, "backward");
}

TEST(Blocks, NarrowNeighboursJoinUnderTheFamilyWithTheMostTime) {
  const Example one               = example();
  const std::vector<Block> blocks = report::blocks(one.program, one.timeline, 1, 0.05);  // 8 s are 0.4 pixels
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].family->name, "backward");
  EXPECT_TRUE(blocks[0].name.empty());
}

}  // namespace
}  // namespace foreflow::report::rows_test
