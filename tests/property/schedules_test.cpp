// What every schedule must satisfy, for 1..8 stages and 1..24 microbatches.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "foreflow/schedule/measure.h"

namespace foreflow::schedule {
namespace {

class EverySchedule : public testing::TestWithParam<std::string> {
 protected:
  const ScheduleDef& row() const { return schedules().get(GetParam(), "test"); }

  template <class Check>
  void for_every_size(Check check) const {
    for (int stages = 1; stages <= 8; ++stages) {
      for (int microbatches = 1; microbatches <= 24; ++microbatches) {
        SCOPED_TRACE(std::to_string(stages) + " stages, " + std::to_string(microbatches) + " microbatches");
        check(stages, microbatches);
        if (HasFatalFailure()) return;
      }
    }
  }
};

std::set<std::pair<int, Task>> inputs(const PlacedTask& placed, int stages) {
  const auto& [stage, task, start] = placed;
  std::set<std::pair<int, Task>> needed;
  if (task.phase == Phase::forward && stage > 0) needed.insert({stage - 1, task});
  if (task.phase == Phase::backward) needed.insert({stage, {Phase::forward, task.microbatch}});
  if (task.phase == Phase::backward && stage + 1 < stages) needed.insert({stage + 1, task});
  return needed;
}

// The end of everything when a transfer, which takes no time, holds its sender and its receiver until both are free,
// and the transfers for all tasks of one start stand before these tasks.
double blocking_makespan(const std::vector<PlacedTask>& line, int stages, const Costs& costs) {
  std::vector<double> clock(static_cast<size_t>(stages));
  for (auto group = line.begin(); group != line.end();) {
    const auto end = std::find_if(group, line.end(), [&](const PlacedTask& p) { return p.start != group->start; });
    for (auto placed = group; placed != end; ++placed) {
      const int from = placed->stage + (placed->task.phase == Phase::forward ? -1 : 1);
      if (from < 0 || from >= stages) continue;
      double& there = clock[static_cast<size_t>(from)];
      double& here  = clock[static_cast<size_t>(placed->stage)];
      here = there = std::max(here, there);
    }
    for (; group != end; ++group) {
      clock[static_cast<size_t>(group->stage)] += group->task.phase == Phase::forward ? costs.forward : costs.backward;
    }
  }
  return *std::max_element(clock.begin(), clock.end());
}

TEST_P(EverySchedule, RunsEachTaskOnceOnEveryStage) {
  for_every_size([&](int stages, int microbatches) {
    const Order order = row().order(stages, microbatches);
    ASSERT_EQ(order.size(), static_cast<size_t>(stages));
    for (const auto& tasks : order) {
      std::set<Task> expected;
      for (int m = 0; m < microbatches; ++m) expected.insert({{Phase::forward, m}, {Phase::backward, m}});
      ASSERT_EQ(tasks.size(), expected.size());
      ASSERT_EQ(std::set<Task>(tasks.begin(), tasks.end()), expected);
    }
  });
}

TEST_P(EverySchedule, NeverDeadlocksAndNeverStartsBeforeItsInputs) {
  const Costs costs{.forward = 1, .backward = 1.5, .hop = 0.25};
  for_every_size([&](int stages, int microbatches) {
    const auto slots = play(row().order(stages, microbatches), costs);
    std::map<std::pair<int, Task>, double> ends;
    for (int stage = 0; stage < stages; ++stage) {
      for (const Slot& slot : slots[static_cast<size_t>(stage)]) ends[{stage, slot.task}] = slot.end;
    }
    for (int stage = 0; stage < stages; ++stage) {
      double free = 0;
      for (const Slot& slot : slots[static_cast<size_t>(stage)]) {
        double ready = free;
        for (const auto& input : inputs({stage, slot.task}, stages)) {
          ready = std::max(ready, ends.at(input) + (input.first == stage ? 0 : costs.hop));
        }
        ASSERT_EQ(slot.start, ready) << "stage " << stage << " " << label(slot.task);
        free = slot.end;
      }
    }
  });
}

TEST_P(EverySchedule, HoldsAsManyMicrobatchesAsItClaims) {
  for_every_size([&](int stages, int microbatches) {
    const auto peaks = measure(play(row().order(stages, microbatches), {}), {}).peak_in_flight;
    for (int stage = 0; stage < stages; ++stage) {
      ASSERT_EQ(peaks[static_cast<size_t>(stage)], row().peak_live(stages, microbatches, stage)) << "stage " << stage;
    }
  });
}

TEST_P(EverySchedule, IsLinearizedInItsOrderAndAfterItsInputs) {
  for_every_size([&](int stages, int microbatches) {
    const Order order = row().order(stages, microbatches);
    std::set<std::pair<int, Task>> done;
    Order seen(order.size());
    for (const PlacedTask& placed : linearize(order)) {
      for (const auto& input : inputs(placed, stages)) ASSERT_TRUE(done.contains(input)) << label(placed.task);
      done.insert({placed.stage, placed.task});
      seen[static_cast<size_t>(placed.stage)].push_back(placed.task);
    }
    ASSERT_EQ(seen, order);
  });
}

TEST_P(EverySchedule, LosesNothingToBlockingTransfersWhenLinearized) {
  const Costs costs;
  for_every_size([&](int stages, int microbatches) {
    const Order order = row().order(stages, microbatches);
    ASSERT_EQ(blocking_makespan(linearize(order), stages, costs), measure(play(order, costs), costs).makespan);
  });
}

TEST_P(EverySchedule, IsLinearizedAtTheLargestSizes) {
  EXPECT_EQ(linearize(row().order(64, 1024)).size(), 64u * 1024 * 2);
}

INSTANTIATE_TEST_SUITE_P(Schedules, EverySchedule, testing::ValuesIn(schedules().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::schedule
