#include "transform/recompute/checkpoints.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace foreflow::transform::checkpoints_test {
namespace {

// Every plan, one by one.
void enumerate(size_t blocks, const std::vector<Choice>& choices, CheckpointPlan& plan, size_t place,
               const std::function<void(const CheckpointPlan&)>& seen) {
  if (place == blocks) return seen(plan);
  for (size_t c = 0; c < choices.size(); ++c) {
    if (choices[c].first != place || place + choices[c].length > blocks) continue;
    const CheckpointPlan before = plan;
    plan.picks.push_back(c);
    plan.kept += choices[c].kept;
    plan.repeated = std::max(plan.repeated, choices[c].repeated);
    plan.extra += choices[c].extra;
    enumerate(blocks, choices, plan, place + choices[c].length, seen);
    plan = before;
  }
}

std::vector<Choice> random_chain(size_t blocks, std::mt19937_64& random) {
  const auto number = [&](int most) { return static_cast<double>(random() % static_cast<uint64_t>(most)); };
  std::vector<Choice> choices;
  for (size_t b = 0; b < blocks; ++b) {
    choices.push_back({b, 1, 0, Bytes(10 + number(30)), Bytes(0), Flops(0)});
    choices.push_back({b, 1, 1, Bytes(5 + number(10)), Bytes(number(10)), Flops(1 + number(5))});
    for (size_t length = 1; length <= 3 && b + length <= blocks; ++length)
      choices.push_back({b, length, 2, Bytes(1 + number(4)), Bytes(10 + number(40)), Flops(5 + number(20))});
  }
  return choices;
}

TEST(BestPlan, IsTheBestOfAllPlans) {
  std::mt19937_64 random(11);
  for (int chain = 0; chain < 60; ++chain) {
    const size_t blocks               = 1 + random() % 6;
    const std::vector<Choice> choices = random_chain(blocks, random);
    const double in_flight            = 1 + static_cast<double>(random() % 4);
    for (const double limit : {0.0, 20.0, 60.0, 120.0, 300.0, 1000.0}) {
      Flops least(std::numeric_limits<double>::infinity());
      Bytes smallest(std::numeric_limits<double>::infinity());
      CheckpointPlan plan;
      enumerate(blocks, choices, plan, 0, [&](const CheckpointPlan& one) {
        smallest = std::min(smallest, one.memory(in_flight));
        if (one.memory(in_flight) <= Bytes(limit)) least = std::min(least, one.extra);
      });
      const CheckpointPlan best = best_plan(blocks, choices, Bytes(limit), in_flight);
      if (smallest <= Bytes(limit)) {
        EXPECT_EQ(best.extra, least);
        EXPECT_LE(best.memory(in_flight), Bytes(limit));
      } else {
        EXPECT_EQ(best.memory(in_flight), smallest);
      }
    }
  }
}

TEST(BestPlan, KeepsEverythingWhereThereIsRoom) {
  std::mt19937_64 random(5);
  const std::vector<Choice> choices = random_chain(4, random);
  for (const size_t pick : best_plan(4, choices, Bytes(1e9), 2).picks) EXPECT_EQ(choices[pick].way, 0);
}

// A long chain of equal blocks repeats so many of them that the rest just fits.
TEST(BestPlan, RepeatsAsFewOfEqualBlocksAsItMust) {
  std::vector<Choice> choices;
  for (size_t b = 0; b < 96; ++b) {
    choices.push_back({b, 1, 0, Bytes(34), Bytes(0), Flops(0)});
    choices.push_back({b, 1, 2, Bytes(2), Bytes(34), Flops(1)});
  }
  const CheckpointPlan plan = best_plan(96, choices, Bytes(1000), 1);
  EXPECT_EQ(plan.extra, Flops(72));  // 72 x 2 + 24 x 34 + 34 = 994
  EXPECT_LE(plan.memory(1), Bytes(1000));
}

}  // namespace
}  // namespace foreflow::transform::checkpoints_test
