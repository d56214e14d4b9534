// What every schedule must satisfy, for all sizes up to 8 devices and 24 microbatches that it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "foreflow/base/nth.h"
#include "foreflow/schedule/measure.h"

namespace foreflow::schedule::schedules_test {
namespace {

// A task anywhere: pipe, virtual stage, microbatch and what of it. A whole backward is both halves at once.
using Work = std::tuple<int, int, int, Phase>;

std::vector<Work> works(const Plan& plan, int device, const Task& task) {
  const auto work = [&](Phase phase) {
    return Work{plan.pipe_of(task.chunk), plan.stage_of(device, task.chunk), task.microbatch, phase};
  };
  if (task.phase == Phase::backward) return {work(Phase::input_grad), work(Phase::weight_grad)};
  return {work(task.phase)};
}

std::vector<Work> inputs(const Plan& plan, int device, const Task& task) {
  const auto [pipe, stage, m, phase] = works(plan, device, task).front();
  std::vector<Work> needed;
  if (phase == Phase::forward && stage > 0) needed.push_back({pipe, stage - 1, m, phase});
  if (phase == Phase::input_grad) needed.push_back({pipe, stage, m, Phase::forward});
  if (phase == Phase::input_grad && stage + 1 < plan.stages()) needed.push_back({pipe, stage + 1, m, phase});
  if (phase == Phase::weight_grad) needed.push_back({pipe, stage, m, Phase::input_grad});
  return needed;
}

class EverySchedule : public testing::TestWithParam<std::string> {
 protected:
  const ScheduleDef& row() const { return schedules().get(GetParam(), "test"); }

  template <class Check>
  void for_every_size(Check check) const {
    int sizes = 0;
    for (int devices = 1; devices <= 8; ++devices) {
      for (int microbatches = 1; microbatches <= 24; ++microbatches) {
        for (const int virtual_stages : {1, 2, 3, 4}) {
          Size size;
          try {
            size = checked_size(row(), devices, microbatches, virtual_stages, "test");
          } catch (const Error&) {
            continue;  // the schedule has no such size
          }
          SCOPED_TRACE(testing::Message() << devices << " devices, " << microbatches << " microbatches, "
                                          << virtual_stages << " virtual stages");
          check(plan(row(), size));
          if (HasFatalFailure()) return;
          ++sizes;
        }
      }
    }
    EXPECT_GE(sizes, 24);
  }
};

TEST_P(EverySchedule, RunsEachTaskOnce) {
  for_every_size([&](const Plan& plan) {
    ASSERT_EQ(plan.order.size(), static_cast<size_t>(plan.size.devices));
    std::set<Work> seen, expected;
    for (int device = 0; device < plan.size.devices; ++device) {
      for (const Task& task : nth(plan.order, device)) {
        for (const Work& work : works(plan, device, task)) ASSERT_TRUE(seen.insert(work).second) << label(task);
      }
    }
    for (int pipe = 0; pipe < plan.pipes(); ++pipe) {
      for (int stage = 0; stage < plan.stages(); ++stage) {
        for (int m = 0; m < plan.microbatches_of(pipe); ++m) {
          expected.insert({pipe, stage, m, Phase::forward});
          if (!row().trains) continue;
          for (const Phase phase : {Phase::input_grad, Phase::weight_grad}) expected.insert({pipe, stage, m, phase});
        }
      }
    }
    ASSERT_EQ(seen, expected);
  });
}

TEST_P(EverySchedule, WorksOnEveryPartOfTheBatch) {
  for_every_size([&](const Plan& plan) {
    std::set<int> parts;
    for (const Task& task : plan.order[0]) parts.insert(plan.part(task));
    ASSERT_EQ(parts.size(), static_cast<size_t>(plan.size.microbatches));
    ASSERT_EQ(*parts.begin(), 0);
    ASSERT_EQ(*parts.rbegin(), plan.size.microbatches - 1);
  });
}

TEST_P(EverySchedule, StartsTasksAndCellsWhenTheirInputsAreThere) {
  const Costs costs{.forward = 1, .input_grad = 0.75, .weight_grad = 0.5, .hop = 0.25};
  for_every_size([&](const Plan& plan) {
    const Slots slots = play(plan, costs);
    std::map<Work, std::pair<double, size_t>> done;  // when its output is there, and on which device
    for (size_t device = 0; device < slots.size(); ++device) {
      double cell_end = 0;
      for (size_t i = slots[device].size(); i-- > 0;) {
        const Slot& slot = slots[device][i];
        if (i + 1 == slots[device].size() || !slots[device][i + 1].task.joined) cell_end = slot.end;
        for (const Work& work : works(plan, static_cast<int>(device), slot.task)) done[work] = {cell_end, device};
      }
    }
    for (size_t device = 0; device < slots.size(); ++device) {
      const auto& row = slots[device];
      for (size_t begin = 0, end = 0; begin < row.size(); begin = end) {
        for (end = begin + 1; end < row.size() && row[end].task.joined;) ++end;
        double ready = begin == 0 ? 0 : row[begin - 1].end;
        for (size_t i = begin; i < end; ++i) {
          for (const Work& input : inputs(plan, static_cast<int>(device), row[i].task)) {
            const auto& [there, from] = done.at(input);
            ready                     = std::max(ready, there + (from == device ? 0 : costs.hop));
          }
          if (i > begin) {
            ASSERT_EQ(row[i].start, row[i - 1].end);
          }
        }
        ASSERT_EQ(row[begin].start, ready) << "device " << device << " " << label(row[begin].task);
      }
    }
  });
}

TEST_P(EverySchedule, HoldsAsMuchAsItClaims) {
  for_every_size([&](const Plan& plan) {
    const auto peaks = measure(plan, play(plan, {}), {}).peak_in_flight;
    for (int device = 0; device < plan.size.devices; ++device) {
      ASSERT_EQ(nth(peaks, device), row().peak_live(plan.size, device)) << "device " << device;
    }
  });
}

TEST_P(EverySchedule, IsLinearizedInItsOrderAndAfterItsInputs) {
  for_every_size([&](const Plan& plan) {
    std::set<Work> done;
    Order seen(plan.order.size());
    for (const PlacedTask& placed : linearize(plan)) {
      ASSERT_EQ(placed.stage, plan.stage_of(placed.device, placed.task.chunk));
      for (const Work& input : inputs(plan, placed.device, placed.task)) {
        ASSERT_TRUE(done.contains(input)) << label(placed.task);
      }
      for (const Work& work : works(plan, placed.device, placed.task)) done.insert(work);
      nth(seen, placed.device).push_back(placed.task);
    }
    ASSERT_EQ(seen, plan.order);
  });
}

// The end of everything when a transfer, which takes no time, holds its sender and its receiver until both are free,
// and the transfers for all tasks of one start stand before these tasks.
double blocking_makespan(const Plan& plan, const std::vector<PlacedTask>& line, const Costs& costs) {
  std::map<Work, size_t> from;
  std::vector<double> clock(plan.order.size());
  for (auto group = line.begin(); group != line.end();) {
    const auto end = std::find_if(group, line.end(), [&](const PlacedTask& p) { return p.start != group->start; });
    for (auto placed = group; placed != end; ++placed) {
      for (const Work& input : inputs(plan, placed->device, placed->task)) {
        double& there = clock[from.at(input)];
        double& here  = nth(clock, placed->device);
        here = there = std::max(here, there);
      }
    }
    for (; group != end; ++group) {
      const auto device = static_cast<size_t>(group->device);
      clock[device] += task_time(plan, costs, device, group->task);
      for (const Work& work : works(plan, group->device, group->task)) from[work] = device;
    }
  }
  return *std::max_element(clock.begin(), clock.end());
}

class OneStageADevice : public EverySchedule {};

TEST_P(OneStageADevice, LosesNothingToBlockingTransfersWhenLinearized) {
  const Costs costs;
  for_every_size([&](const Plan& plan) {
    ASSERT_EQ(blocking_makespan(plan, linearize(plan), costs), measure(plan, play(plan, costs), costs).makespan);
  });
}

TEST_P(EverySchedule, IsLinearizedAtTheLargestSizes) {
  const Plan large = plan(row(), checked_size(row(), 64, 1024, {}, "test"));
  size_t tasks     = 0;
  for (const auto& device : large.order) tasks += device.size();
  EXPECT_EQ(linearize(large).size(), tasks);
}

// The transfers of several stages meet on a device, and those of split backwards need not be in step.
INSTANTIATE_TEST_SUITE_P(Schedules, OneStageADevice, testing::Values("gpipe", "1f1b", "eager_1f1b", "inference"),
                         [](const auto& info) { return info.param; });

INSTANTIATE_TEST_SUITE_P(Schedules, EverySchedule, testing::ValuesIn(schedules().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::schedule::schedules_test
