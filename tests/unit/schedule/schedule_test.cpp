#include "foreflow/schedule/schedule.h"

#include <gtest/gtest.h>

#include <limits>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule {
namespace {

std::string text(const std::vector<Task>& tasks) {
  std::string line;
  for (const Task& task : tasks) line += (line.empty() ? "" : " ") + label(task);
  return line;
}

std::vector<Task> stage_of(const char* name, int stages, int microbatches, size_t stage) {
  return schedules().get(name, "test").order({.devices = stages, .microbatches = microbatches})[stage];
}

template <class Run>
std::string problem_of(Run run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Schedules, AreFoundByTheNamesThatScenariosUse) {
  EXPECT_EQ(schedules().names(), (std::vector<std::string>{"gpipe", "1f1b", "eager_1f1b"}));
  EXPECT_THROW(schedules().get("1f2b", "test"), Error);
}

TEST(Schedules, OrderTheFirstStageAsPublished) {
  EXPECT_EQ(text(stage_of("gpipe", 4, 3, 0)), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(text(stage_of("1f1b", 4, 8, 0)), "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
  EXPECT_EQ(text(stage_of("eager_1f1b", 4, 8, 0)), "F0 F1 F2 F3 F4 F5 F6 B0 F7 B1 B2 B3 B4 B5 B6 B7");
}

TEST(Schedules, AlternateAtOnceOnTheLastStage) {
  for (const char* name : {"1f1b", "eager_1f1b"}) EXPECT_EQ(text(stage_of(name, 4, 3, 3)), "F0 B0 F1 B1 F2 B2") << name;
}

TEST(Schedules, WarmUpWithEveryMicrobatchWhenThereAreFewerThanStages) {
  EXPECT_EQ(text(stage_of("1f1b", 8, 2, 0)), "F0 F1 B0 B1");
}

TEST(ForwardOnly, KeepsTheForwardsInTheirOrder) {
  const ScheduleDef& row = schedules().get("1f1b", "test");
  for (const auto& tasks : forward_only(plan(row, {.devices = 4, .microbatches = 3})).order)
    EXPECT_EQ(text(tasks), "F0 F1 F2");
}

TEST(CheckedSize, SaysWhatWouldBeRight) {
  const auto check = [](int stages, int microbatches, std::optional<int> virtual_stages = {}) {
    return checked_size(schedules().get("1f1b", "test"), stages, microbatches, virtual_stages, "$.pp");
  };
  EXPECT_EQ(check(64, 1024).chunks, 1);
  EXPECT_EQ(check(64, 1024, 1).chunks, 1);
  EXPECT_EQ(problem_of([&] { check(0, 4); }), "$.pp: 0 stages; a pipeline has at least 1");
  EXPECT_EQ(problem_of([&] { check(4, -1); }), "$.pp: -1 microbatches; a step has at least 1");
  EXPECT_EQ(problem_of([&] { check(4, 4, 2); }), "$.pp: 2 virtual stages a device for 1f1b, which has 1; use 1");
  EXPECT_EQ(problem_of([&] { check(4, 4, 0); }), "$.pp: 0 virtual stages; a device has at least 1");
  EXPECT_THROW(check(1 << 30, 1 << 30), Error);
}

TEST(CheckCosts, RefusesWhatIsNoTime) {
  EXPECT_NO_THROW(check_costs({}, "test"));
  EXPECT_EQ(problem_of([] { check_costs({.weight_grad = 0}, "here"); }),
            "here: a weight gradient cost of 0; it is a finite number above 0");
  EXPECT_THROW(check_costs({.forward = std::numeric_limits<double>::quiet_NaN()}, "test"), Error);
  EXPECT_THROW(check_costs({.hop = -1}, "test"), Error);
  EXPECT_THROW(check_costs({.hop = std::numeric_limits<double>::infinity()}, "test"), Error);
}

}  // namespace
}  // namespace foreflow::schedule
