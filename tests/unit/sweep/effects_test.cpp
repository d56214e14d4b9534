#include <gtest/gtest.h>

#include <cmath>

#include "foreflow/sweep/sweep.h"

namespace foreflow::sweep::effects_test {
namespace {

// Axes a (2 values) and b (3), with these throughputs; 0: the point failed.
Result result_of(const std::vector<double>& throughputs) {
  Result result;
  result.axes = {{{"a"}, {1, 2}}, {{"b"}, {1, 2, 3}}};
  for (size_t i = 0; i < throughputs.size(); ++i) {
    Point& point = result.points.emplace_back();
    point.choice = scenario::choice_of(result.axes, i);
    point.status = throughputs[i] > 0 ? Status::done : Status::failed;
    if (throughputs[i] > 0) point.answer.set("throughput_samples_per_s", throughputs[i]);
  }
  return result;
}

TEST(Effects, AreTheGeometricMeanOfTheRatiosOfAllLinesOfAnAxis) {
  const auto all = effects(result_of({1, 2, 4,  //
                                      3, 6, 27}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].axis, 1U);
  EXPECT_EQ(all[0].lines, 2U);
  EXPECT_DOUBLE_EQ(all[0].mean, 6);  // of 4 / 1 and 27 / 3
  EXPECT_DOUBLE_EQ(all[0].most, 9);
  EXPECT_EQ(all[1].axis, 0U);
  EXPECT_EQ(all[1].lines, 3U);
  EXPECT_DOUBLE_EQ(all[1].mean, std::cbrt(3 * 3 * 6.75));
  EXPECT_DOUBLE_EQ(all[1].most, 6.75);
}

TEST(Effects, LeaveOutWhatFailed) {
  const auto all = effects(result_of({0, 2, 4,  //
                                      8, 0, 0}));
  EXPECT_EQ(all[0].axis, 1U);
  EXPECT_EQ(all[0].lines, 1U);
  EXPECT_DOUBLE_EQ(all[0].mean, 2);
  EXPECT_EQ(all[1].lines, 0U);  // no two points of one line
}

TEST(Labels, ShowOfObjectsWhereTheyDiffer) {
  const scenario::Axis axis{{"platform"},
                            {parse_json(R"({"topology": "dgx2", "nodes": 1, "nic": {"bandwidth": "1GBps"}})", "t"),
                             parse_json(R"({"topology": "dgx2", "nodes": 2})", "t"), "file"}};
  EXPECT_EQ(label(axis, 0), R"(topology=dgx2 nodes=1 nic={"bandwidth":"1GBps"})");
  EXPECT_EQ(label(axis, 2), "file");
  const scenario::Axis alike{{"platform"}, {axis.values[1], parse_json(R"({"topology": "dgx2", "nodes": 4})", "t")}};
  EXPECT_EQ(label(alike, 0), "nodes=2");
  EXPECT_EQ(label({{"a"}, {1.5, true}}, 1), "true");
}

}  // namespace
}  // namespace foreflow::sweep::effects_test
