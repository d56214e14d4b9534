#include <gtest/gtest.h>

#include "foreflow/schedule/measure.h"

namespace foreflow::schedule {
namespace {

constexpr Task kF0{Phase::forward, 0};
constexpr Task kB0{Phase::backward, 0};

double makespan(std::string_view name, int stages, int microbatches, const Costs& costs) {
  return measure(play(schedules().get(name, "test").order(stages, microbatches), costs), costs).makespan;
}

TEST(Play, TakesTheTextbookTimeWithoutLatency) {
  const double forward = 1.5, backward = 2.25;
  for (const ScheduleDef& row : schedules()) {
    const double expected = (10 + 6 - 1) * (forward + backward);
    EXPECT_DOUBLE_EQ(makespan(row.name, 6, 10, {forward, backward, 0}), expected) << row.name;
  }
}

TEST(Play, DelaysOneMicrobatchByTwoHopsPerBoundary) {
  const int stages = 5;
  EXPECT_DOUBLE_EQ(makespan("1f1b", stages, 1, {1, 2, 0.5}), stages * 3 + 2 * (stages - 1) * 0.5);
}

TEST(Play, HidesLatencyUnderEagerButNotUnder1f1b) {
  // Exact results of an independent calculation for two stages and 32 microbatches.
  EXPECT_EQ(makespan("1f1b", 2, 32, {1, 2, 1}), 131);
  EXPECT_EQ(makespan("eager_1f1b", 2, 32, {1, 2, 1}), 101);
}

TEST(Play, RunsInferenceInOneWaveOfForwards) {
  const Order order = forward_only(schedules().get("gpipe", "test").order(4, 8));
  EXPECT_EQ(measure(play(order, {}), {}).makespan, 8 + 4 - 1);
}

TEST(Play, RefusesAnOrderThatWaitsForItself) {
  EXPECT_THROW(play({{kB0, kF0}}, {}), InternalError);
  EXPECT_THROW(play({{kB0}, {kF0, kB0}}, {}), InternalError);
  EXPECT_THROW(linearize({{kF0, kB0}, {kF0}}), InternalError);
}

TEST(Play, OfNothingIsNothing) {
  EXPECT_TRUE(play({}, {}).empty());
  EXPECT_EQ(measure({}, {}).bubble_fraction, 0);
}

TEST(Measure, FindsTheBubbleOfTheTextbook) {
  const int stages = 4, microbatches = 8;
  const Costs costs;
  for (const ScheduleDef& row : schedules()) {
    const Measures m = measure(play(row.order(stages, microbatches), costs), costs);
    EXPECT_EQ(m.ideal, microbatches * (costs.forward + costs.backward)) << row.name;
    EXPECT_DOUBLE_EQ(m.bubble_fraction, (stages - 1.0) / (microbatches + stages - 1)) << row.name;
  }
}

}  // namespace
}  // namespace foreflow::schedule
