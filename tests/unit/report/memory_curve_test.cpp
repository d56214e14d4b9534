#include "report/memory_curve.h"

#include <gtest/gtest.h>

#include "unit/report/example.h"

namespace foreflow::report::memory_curve_test {
namespace {

using test::Example;
using test::example;

TEST(MemoryCurve, RisesWhileAnItemRunsAndSettlesWhenItEnds) {
  const Example one       = example();
  const MemoryCurve curve = memory_curve(one.program, one.timeline, 0, streams_by_device(one.program)[0]);
  // Forward needs 30 and leaves 20; the send frees them.
  const std::vector<std::pair<double, double>> expected = {{0, 10 + 30}, {2, 10 + 20}, {3, 10}};
  ASSERT_EQ(curve.points.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(curve.points[i].time, Seconds(expected[i].first));
    EXPECT_EQ(curve.points[i].level, Bytes(expected[i].second));
  }
  EXPECT_EQ(curve.peak, Bytes(40));
}

TEST(MemoryCurve, ItemsThatRunTogetherNeedTheirWorkspacesTogether) {
  stream::Program program;
  program.computes       = {{"Work", Seconds(2), Flops(0), {}}};
  program.memory_effects = {{Bytes(5), Bytes(0)}, {Bytes(7), Bytes(3)}};
  program.devices        = {{1, 0, Bytes(1)}};
  program.streams        = {{"D1", 0, {{0, -1, 0}}}, {"D1.side", 0, {{0, -1, 1}, {0, -1, 1}}}};
  stream::Timeline timeline{
      Seconds(5), {{{Seconds(1), Seconds(3)}}, {{Seconds(0), Seconds(2)}, {Seconds(3), Seconds(5)}}}, {}};
  EXPECT_EQ(memory_curve(program, timeline, 0, streams_by_device(program)[0]).peak, Bytes(1 + 5 + 7));
  timeline.records[0][0] = {Seconds(2), Seconds(3)};
  EXPECT_EQ(memory_curve(program, timeline, 0, streams_by_device(program)[0]).peak, Bytes(1 + 3 + 7));
}

}  // namespace
}  // namespace foreflow::report::memory_curve_test
