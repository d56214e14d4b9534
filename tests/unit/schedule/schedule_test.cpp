#include "foreflow/schedule/schedule.h"

#include <gtest/gtest.h>

#include <limits>

#include "foreflow/schedule/play.h"

namespace foreflow::schedule::schedule_test {
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
  EXPECT_EQ(schedules().names(),
            (std::vector<std::string>{"gpipe", "1f1b", "eager_1f1b", "interleaved_1f1b", "looped_bfs", "zb_h1", "zb_h2",
                                      "zb_v", "chimera", "dualpipe", "dualpipe_v", "inference"}));
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

TEST(StageOf, FollowsThePlacement) {
  const auto stages_of = [](StageMapping mapping, int chunks, int device) {
    std::vector<int> stages;
    for (int chunk = 0; chunk < chunks; ++chunk) stages.push_back(stage_of(mapping, {4, 8, chunks}, device, chunk));
    return stages;
  };
  EXPECT_EQ(stages_of(StageMapping::looped, 3, 1), (std::vector<int>{1, 5, 9}));
  EXPECT_EQ(stages_of(StageMapping::vee, 2, 1), (std::vector<int>{1, 6}));
  EXPECT_EQ(stages_of(StageMapping::mirrored, 2, 1), (std::vector<int>{1, 2}));
  EXPECT_EQ(stages(StageMapping::looped, {4, 8, 3}), 12);
  EXPECT_EQ(stages(StageMapping::mirrored, {4, 8, 2}), 4);
}

TEST(Plan, GivesTheFirstHalfOfTheBatchToTheDownPipe) {
  const ScheduleDef& chimera = schedules().get("chimera", "test");
  const Plan odd             = plan(chimera, checked_size(chimera, 4, 7, {}, "test"));
  EXPECT_EQ(odd.microbatches_of(0), 4);
  EXPECT_EQ(odd.microbatches_of(1), 3);
  EXPECT_EQ(odd.part({Phase::forward, 2, 0}), 2);
  EXPECT_EQ(odd.part({Phase::forward, 2, 1}), 6);
}

TEST(CheckedSize, SaysWhatWouldBeRight) {
  const auto why = [](const char* name, int stages, int microbatches, std::optional<int> virtual_stages = {}) {
    return problem_of([&] { checked_size(schedules().get(name, "test"), stages, microbatches, virtual_stages, "$"); });
  };
  EXPECT_EQ(why("1f1b", 64, 1024), "no error");
  EXPECT_EQ(why("1f1b", 64, 1024, 1), "no error");
  EXPECT_EQ(why("1f1b", 0, 4), "$: 0 stages; a pipeline has at least 1");
  EXPECT_EQ(why("1f1b", 4, -1), "$: -1 microbatches; a step has at least 1");
  EXPECT_EQ(why("1f1b", 4, 4, 2), "$: 2 virtual stages a device for 1f1b, which has 1; use 1");
  EXPECT_EQ(why("zb_v", 4, 4, 1), "$: 1 virtual stages a device for zb_v, which has 2; use 2");
  EXPECT_EQ(why("chimera", 4, 4, 2), "$: 2 virtual stages a device for chimera, which has 1; use 1");
  EXPECT_EQ(why("1f1b", 4, 4, 0), "$: 0 virtual stages; a device has at least 1");
  EXPECT_EQ(why("1f1b", 1 << 30, 1 << 30),
            "$: 1073741824 stages x 1073741824 microbatches is too much; the product may be 8388608 at most");
  EXPECT_EQ(why("looped_bfs", 1 << 10, 1 << 10, 1 << 30),
            "$: 1024 stages x 1024 microbatches x 1073741824 chunks is too much; the product may be 8388608 at most");
  EXPECT_EQ(why("interleaved_1f1b", 4, 8, 1),
            "$: interleaved_1f1b with 1 virtual stage a device interleaves nothing; use 2 or more");
}

TEST(CheckedSize, AsksEachScheduleWhatItRefuses) {
  const auto why = [](const char* name, int stages, int microbatches) {
    return problem_of([&] { checked_size(schedules().get(name, "test"), stages, microbatches, {}, "$"); });
  };
  EXPECT_EQ(
      why("interleaved_1f1b", 3, 8),
      "$: interleaved_1f1b runs microbatches in groups of as many as stages, and 8 is no multiple of 3; use 6 or 9");
  EXPECT_EQ(why("interleaved_1f1b", 4, 2),
            "$: interleaved_1f1b runs microbatches in groups of as many as stages, and 2 is no multiple of 4; use 4");
  EXPECT_EQ(why("chimera", 5, 8),
            "$: chimera needs an even number of stages, for its two directions to fill each other's gaps; use 4 or 6");
  EXPECT_EQ(why("chimera", 1, 8),
            "$: chimera needs an even number of stages, for its two directions to fill each other's gaps; use 2");
  EXPECT_EQ(why("dualpipe", 3, 8),
            "$: dualpipe needs an even number of stages, for its two directions to meet; use 2 or 4");
  EXPECT_EQ(why("dualpipe", 4, 9),
            "$: dualpipe needs an even number of microbatches, at least twice the 4 stages, not 9; use 10");
  EXPECT_EQ(why("dualpipe", 4, 6),
            "$: dualpipe needs an even number of microbatches, at least twice the 4 stages, not 6; use 8");
  EXPECT_EQ(why("dualpipe_v", 4, 7),
            "$: dualpipe_v needs at least twice as many microbatches as stages, not 7 for 4; use 8 or more");
}

TEST(CheckCosts, RefusesWhatIsNoTime) {
  EXPECT_NO_THROW(check_costs({}, "test"));
  EXPECT_EQ(problem_of([] { check_costs({.weight_grad = 0}, "here"); }),
            "here: a cost of 0 for the weight gradient; it is a number above 0, at most 1e+100");
  EXPECT_THROW(check_costs({.forward = std::numeric_limits<double>::quiet_NaN()}, "test"), Error);
  EXPECT_THROW(check_costs({.hop = -1}, "test"), Error);
  EXPECT_THROW(check_costs({.hop = std::numeric_limits<double>::infinity()}, "test"), Error);
  EXPECT_NO_THROW(check_costs({.hop = 1e100}, "test"));
  // Sums of such costs would be infinite.
  EXPECT_EQ(problem_of([] { check_costs({.hop = 2e307}, "here"); }),
            "here: a cost of 2e+307 for the hop; it is a number of 0 or more, at most 1e+100");
  EXPECT_THROW(check_costs({.forward = 1e308}, "test"), Error);
}

}  // namespace
}  // namespace foreflow::schedule::schedule_test
