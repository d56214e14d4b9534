#include <gtest/gtest.h>

#include <map>

#include "foreflow/schedule/describe.h"
#include "foreflow/schedule/measure.h"

namespace foreflow::schedule::delay_test {
namespace {

Plan planned(std::string_view name, int devices, int microbatches) {
  const ScheduleDef& row = schedules().get(name, "test");
  return plan(row, checked_size(row, devices, microbatches, {}, "test"));
}

double makespan(const Plan& plan, const Costs& costs) { return measure(plan, play(plan, costs), costs).makespan; }

std::string text(const std::vector<Task>& tasks) {
  std::string line;
  for (const Task& task : tasks) line += (line.empty() ? "" : " ") + label(task);
  return line;
}

// The schedules whose backwards can be split.
std::vector<const ScheduleDef*> delayable() {
  std::vector<const ScheduleDef*> rows;
  for (const ScheduleDef& row : schedules()) {
    if (refuse_delay(row).empty()) rows.push_back(&row);
  }
  return rows;
}

TEST(DelayWeightGradients, RunsThemAtOnceWhereNoneMayWait) {
  const Plan plan = delay_weight_gradients(planned("1f1b", 2, 3), 0, {.hop = 5});
  EXPECT_EQ(text(plan.order[0]), "F0 F1 I0 W0 F2 I1 W1 I2 W2");
  EXPECT_EQ(text(plan.order[1]), "F0 I0 W0 F1 I1 W1 F2 I2 W2");
}

// Where two may wait, two do: no schedule has W0 right behind I0.
TEST(DelayWeightGradients, MakesThemWaitUnderEverySchedule) {
  const std::map<std::string_view, std::string> first_device = {
      {"gpipe", "F0 F1 F2 F3 I0 I1 I2 W0 I3 W1 W2 W3"},
      {"1f1b", "F0 F1 I0 F2 I1 F3 I2 W0 W1 I3 W2 W3"},
      {"eager_1f1b", "F0 F1 F2 I0 F3 I1 W0 I2 W1 W2 I3 W3"},
      {"interleaved_1f1b", "F0 F1 F0' F1' F2 I0' F3 I1' F2' I0 W0' F3' I1 W1' W0 I2' W1 W2' I3' W3' I2 W2 I3 W3"},
      {"looped_bfs", "F0 F1 F2 F3 F0' F1' F2' F3' I0' I1' I2' W0' I3' W1' I0 W2' I1 W3' I2 W0 I3 W1 W2 W3"},
      {"chimera", "F0 F0' I0' I0 F1 F1' I1' W0' I1 W0 W1' W1"},
  };
  ASSERT_EQ(delayable().size(), first_device.size());
  for (const ScheduleDef* row : delayable())
    EXPECT_EQ(text(delay_weight_gradients(planned(row->name, 2, 4), 2).order[0]), first_device.at(row->name))
        << row->name;
}

// Device 1 has its next forward when it has done I0, but waits for F2 when it has done I1.
TEST(DelayWeightGradients, FillsWaitsWithThem) {
  const Plan plan = delay_weight_gradients(planned("1f1b", 2, 3), 1);
  EXPECT_EQ(text(plan.order[0]), "F0 F1 I0 F2 I1 W0 W1 I2 W2");
  EXPECT_EQ(text(plan.order[1]), "F0 I0 F1 I1 W0 F2 I2 W1 W2");
}

// The hand-made ZB-H1 is 1F1B whose devices may each have P-1 weight gradients waiting.
TEST(DelayWeightGradients, Makes1f1bAsFastAsZbH1) {
  for (const int devices : {2, 4, 8}) {
    const Plan plan = delay_weight_gradients(planned("1f1b", devices, 24), devices - 1);
    EXPECT_EQ(makespan(plan, {}), makespan(planned("zb_h1", devices, 24), {}));
  }
}

TEST(DelayWeightGradients, IsRefusedWhereThereIsNothingToDelay) {
  EXPECT_EQ(refuse_delay(schedules().get("inference", "test")), "inference has no weight gradients to delay");
  EXPECT_EQ(refuse_delay(schedules().get("zb_h1", "test")),
            "zb_h1 splits the backward and places weight gradients itself");
  EXPECT_EQ(delayable().size(), 6u);
  const ScheduleDef& zb_v = schedules().get("zb_v", "test");
  EXPECT_THROW(describe({.schedule = zb_v, .devices = 2, .microbatches = 4, .delay_weight_gradients = true}), Error);
}

TEST(DelayWeightGradients, KeepsTheOtherTasksInOrderAndHoldsOneMicrobatchMoreForEachThatMayWait) {
  for (const ScheduleDef* row : delayable()) {
    const Plan whole = planned(row->name, 4, 8);
    for (const int waiting : {0, 1, 2, 5}) {
      const Plan plan  = delay_weight_gradients(whole, waiting, {.hop = 0.75});
      const auto peaks = measure(plan, play(plan, {}), {}).peak_in_flight;
      for (size_t device = 0; device < 4; ++device) {
        EXPECT_LE(peaks[device], row->peak_live(plan.size, static_cast<int>(device)) + waiting) << row->name;
        std::vector<Task> others;
        for (Task task : plan.order[device]) {
          if (task.phase == Phase::input_grad) task.phase = Phase::backward;
          if (task.phase != Phase::weight_grad) others.push_back(task);
        }
        EXPECT_EQ(others, whole.order[device]) << row->name;
        EXPECT_EQ(plan.order[device].size(), whole.order[device].size() * 3 / 2) << row->name;
      }
    }
  }
}

TEST(DelayWeightGradients, SendsInputGradientsEarlierSoNothingIsLater) {
  for (const ScheduleDef* row : delayable()) {
    for (const double hop : {0.0, 0.5, 1.0, 3.0}) {
      const Plan whole  = planned(row->name, 4, 8);
      const Costs costs = {.hop = hop};
      for (const int waiting : {0, 1, 3}) {
        EXPECT_LE(makespan(delay_weight_gradients(whole, waiting, costs), costs), makespan(whole, costs))
            << row->name << " " << hop;
      }
    }
  }
}

// On one device nothing is sent, and a split backward takes what a whole one does.
TEST(DelayWeightGradients, ChangesNothingOnOneDevice) {
  const Plan whole = planned("1f1b", 1, 5);
  for (const int waiting : {0, 2}) EXPECT_EQ(makespan(delay_weight_gradients(whole, waiting), {}), makespan(whole, {}));
}

TEST(LeastDelay, IsNoneWithoutLatency) {
  for (const ScheduleDef* row : delayable()) EXPECT_EQ(least_delay(planned(row->name, 4, 8), {}), 0) << row->name;
}

TEST(LeastDelay, CoversWhatItCanWithAsLittleAsItCan) {
  for (const ScheduleDef* row : delayable()) {
    for (const double hop : {0.25, 0.5, 1.0, 2.0, 3.0}) {
      SCOPED_TRACE(testing::Message() << row->name << " with hop " << hop);
      const Plan whole     = planned(row->name, 4, 8);
      const Costs costs    = {.hop = hop};
      const auto time_with = [&](int waiting) {
        return makespan(delay_weight_gradients(whole, waiting, costs), costs);
      };
      const int least      = least_delay(whole, costs);
      const double covered = makespan(whole, {});
      for (int waiting = 0; waiting < least; ++waiting) {
        EXPECT_GT(time_with(waiting), time_with(least)) << waiting;
        EXPECT_GT(time_with(waiting), covered) << waiting;
      }
      if (time_with(least) > covered) {
        EXPECT_EQ(time_with(least + 1), time_with(least));
      }
    }
  }
}

// 1F1B waits for every message, 41 units in all (33 without latency). Sent before the weight gradients, the backward
// ones are covered. Twice the latency takes 49, of which weight gradients that wait for the pauses save ten.
TEST(LeastDelay, PutsOffNoMoreThanTheLatencyAsksFor) {
  const Plan plan        = planned("1f1b", 4, 8);
  const auto delayed_for = [&](double hop) {
    const Costs costs = {.hop = hop};
    const int waiting = least_delay(plan, costs);
    return std::pair(waiting, makespan(delay_weight_gradients(plan, waiting, costs), costs));
  };
  EXPECT_EQ(makespan(plan, {.hop = 0.5}), 41);
  EXPECT_EQ(delayed_for(0.5), std::pair(0, 33.0));
  EXPECT_EQ(makespan(plan, {.hop = 1}), 49);
  EXPECT_EQ(delayed_for(1), std::pair(1, 39.0));
}

TEST(LeastDelay, CountsTheLatenciesOfStagesAsItCountsHops) {
  const StageCosts inner{.forward = 1, .input_grad = 1, .weight_grad = 1, .from_previous = 1, .from_next = 1};
  const Costs by_stage{.stages = {4, inner}}, by_hop{.hop = 1, .stages = {4, {1, 1, 1}}};
  const Plan plan = planned("1f1b", 4, 8);
  EXPECT_EQ(least_delay(plan, by_stage), 1);
  const Plan delayed = delay_weight_gradients(plan, 1, by_stage), same = delay_weight_gradients(plan, 1, by_hop);
  for (size_t device = 0; device < 4; ++device) EXPECT_EQ(text(delayed.order[device]), text(same.order[device]));
  EXPECT_EQ(makespan(delayed, by_stage), makespan(same, by_hop));
}

}  // namespace
}  // namespace foreflow::schedule::delay_test
