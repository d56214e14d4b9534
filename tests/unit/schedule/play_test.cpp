#include <gtest/gtest.h>

#include "foreflow/schedule/measure.h"
#include "foreflow/schedule/task_sequence.h"

namespace foreflow::schedule::play_test {
namespace {

constexpr Task kF0{Phase::forward, 0};
constexpr Task kB0{Phase::backward, 0};

Plan planned(std::string_view name, int stages, int microbatches) {
  const ScheduleDef& row = schedules().get(name, "test");
  return plan(row, checked_size(row, stages, microbatches, {}, "test"));
}

Measures measured(const Plan& plan, const Costs& costs) { return measure(plan, play(plan, costs), costs); }

double makespan(std::string_view name, int stages, int microbatches, const Costs& costs) {
  return measured(planned(name, stages, microbatches), costs).makespan;
}

// One microbatch on as many stages as there are rows.
Plan by_hand(const Order& order) { return {{static_cast<int>(order.size()), 1, 1}, StageMapping::looped, order}; }

TEST(Play, TakesTheTextbookTimeWithoutLatency) {
  const double forward = 1.5, backward = 2.25;
  for (const char* name : {"gpipe", "1f1b", "eager_1f1b"}) {
    const double expected = (10 + 6 - 1) * (forward + backward);
    EXPECT_DOUBLE_EQ(makespan(name, 6, 10, whole_costs(forward, backward)), expected) << name;
  }
}

// sum f + (K-1) max f + sum b + (K-1) max b.
TEST(Play, TakesWhatUnequalStagesTake) {
  const Costs costs{.stages = {{1, 2, 3}, {4, 1, 0.5}, {2, 2.5, 2.5}}};
  EXPECT_EQ(makespan("gpipe", 3, 5, costs), (1 + 4 + 2) + 4 * 4 + (5 + 1.5 + 5) + 4 * 5);
  EXPECT_EQ(measured(planned("gpipe", 3, 5), costs).ideal, 5 * (2 + 5));
}

// The gradients of a chunk are added to from the second microbatch on, in whichever task computes them.
TEST(Play, AddsGradientsToThoseOfTheMicrobatchBefore) {
  const int microbatches = 7;
  const Costs costs{.stages = {{.forward = 1, .input_grad = 2, .weight_grad = 3, .accumulation = 0.5}}};
  for (const char* name : {"gpipe", "1f1b", "zb_h1"})
    EXPECT_EQ(makespan(name, 1, microbatches, costs), microbatches * (1 + 2 + 3) + (microbatches - 1) * 0.5) << name;
}

// Nothing of one play is left in the next.
TEST(Play, PlaysASequenceAgainWithOtherCosts) {
  for (const char* name : {"1f1b", "zb_h1", "interleaved_1f1b", "dualpipe"}) {
    const Plan plan = planned(name, 4, 12);
    const TaskSequence tasks(plan);
    const Costs even = whole_costs(1, 2), late = whole_costs(3, 1, 0.5);
    for (const Costs& costs : {even, late, even}) {
      EXPECT_EQ(tasks.makespan(costs), measured(plan, costs).makespan) << name;
      EXPECT_EQ(draw(tasks.play(costs)), draw(play(plan, costs))) << name;
    }
    EXPECT_NE(tasks.makespan(even), tasks.makespan(late)) << name;
  }
}

TEST(Play, DelaysOneMicrobatchByTwoHopsPerBoundary) {
  const int stages = 5;
  EXPECT_DOUBLE_EQ(makespan("1f1b", stages, 1, whole_costs(1, 2, 0.5)), stages * 3 + 2 * (stages - 1) * 0.5);
}

TEST(Play, WaitsForEveryBoundaryOfStagesAsLongAsItTakes) {
  const Costs costs{.hop    = 0.25,
                    .stages = {{.forward = 1, .input_grad = 1, .weight_grad = 1, .from_next = 10},
                               {.forward = 1, .input_grad = 1, .weight_grad = 1, .from_previous = 20, .from_next = 30},
                               {.forward = 1, .input_grad = 1, .weight_grad = 1, .from_previous = 40, .from_next = 50},
                               {.forward = 1, .input_grad = 1, .weight_grad = 1, .from_previous = 60}}};
  EXPECT_DOUBLE_EQ(makespan("1f1b", 4, 1, costs), 4 * 3 + 6 * 0.25 + (10 + 20 + 30 + 40 + 50 + 60));
  // Stages 1 and 2 are on one device, so nothing is sent from one to the other. Its first weight gradient comes between
  // its input gradients.
  EXPECT_DOUBLE_EQ(makespan("zb_v", 2, 1, costs), 10 + 4 * 0.25 + (20 + 60 + 50 + 10));
}

TEST(Play, HidesLatencyUnderEagerButNotUnder1f1b) {
  // Exact results of an independent calculation for two stages and 32 microbatches.
  EXPECT_EQ(makespan("1f1b", 2, 32, whole_costs(1, 2, 1)), 131);
  EXPECT_EQ(makespan("eager_1f1b", 2, 32, whole_costs(1, 2, 1)), 101);
}

TEST(Play, RunsInferenceInOneWaveOfForwards) {
  EXPECT_EQ(measured(forward_only(planned("gpipe", 4, 8)), {}).makespan, 8 + 4 - 1);
}

TEST(Play, RefusesAnOrderThatWaitsForItself) {
  EXPECT_THROW(play(by_hand({{kB0, kF0}}), {}), InternalError);
  EXPECT_THROW(play(by_hand({{kB0}, {kF0, kB0}}), {}), InternalError);
  EXPECT_THROW(linearize(by_hand({{kF0, kB0}, {kF0}})), InternalError);
}

TEST(Play, OfNothingIsNothing) {
  EXPECT_TRUE(play({}, {}).empty());
  EXPECT_EQ(measure({}, {}, {}).bubble_fraction, 0);
}

TEST(Measure, FindsTheBubbleOfTheTextbook) {
  const int stages = 4, microbatches = 8;
  const Costs costs;
  for (const char* name : {"gpipe", "1f1b", "eager_1f1b"}) {
    const Measures m = measured(planned(name, stages, microbatches), costs);
    EXPECT_EQ(m.ideal, microbatches * (costs.forward + costs.backward())) << name;
    EXPECT_DOUBLE_EQ(m.bubble_fraction, (stages - 1.0) / (microbatches + stages - 1)) << name;
  }
}

}  // namespace
}  // namespace foreflow::schedule::play_test
