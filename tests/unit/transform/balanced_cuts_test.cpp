// Cuts into stages: as good as trying all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "foreflow/base/nth.h"
#include "transform/pipeline/cuts/common_cuts.h"

namespace foreflow::transform::balanced_cuts_test {
namespace {

// A place behind each op, from what each op does and what crosses behind it.
std::vector<CutPlace> places(const std::vector<double>& seconds, const std::vector<double>& crossing,
                             double weights = 0) {
  std::vector<CutPlace> all;
  CutPlace here{};
  for (size_t i = 0; i < seconds.size(); ++i) {
    here.op = static_cast<int32_t>(i);
    here.seconds += seconds[i];
    here.flops += seconds[i];
    here.weights += Bytes(weights);
    here.tensors  = 1;
    here.crossing = Bytes(crossing[i]);
    all.push_back(here);
  }
  return all;
}

StageLimits limits(size_t stages, double seconds_per_byte = 0, std::vector<Bytes> memory = {}) {
  return {std::vector<double>(stages, 1), std::vector<double>(stages, 1), std::move(memory), seconds_per_byte};
}

// The time of the slowest stage. One half of its transfers leaves it, the other arrives.
double slowest(const std::vector<CutPlace>& all, const Cuts& cuts, const StageLimits& limits) {
  double worst = 0, before = 0, in = 0;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    const bool last       = stage == cuts.size();
    const CutPlace& place = last ? all.back() : nth(all, cuts[stage]);
    const double out      = last ? 0 : 2 * limits.seconds_per_byte * place.crossing.value();
    const double work     = place.seconds - before;
    worst                 = std::max(worst, limits.overlaps_sends ? std::max(work, (in + out) / 2) : work + in + out);
    before                = place.seconds;
    in                    = out;
  }
  return worst;
}

double best_of_all(const std::vector<CutPlace>& all, const StageLimits& limits) {
  const size_t stages = limits.shares.size();
  double best         = std::numeric_limits<double>::infinity();
  std::vector<bool> chosen(all.size() - 1);
  std::fill(chosen.begin(), chosen.begin() + static_cast<ptrdiff_t>(stages) - 1, true);
  do {
    Cuts cuts;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i]) cuts.push_back(static_cast<int32_t>(i));
    }
    best = std::min(best, slowest(all, cuts, limits));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return best;
}

TEST(BalancedCuts, AreAsGoodAsTheBestOfAll) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> time(0.1, 4), bytes(0.1, 3);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> seconds(11), crossing(11);
    for (double& value : seconds) value = time(random);
    for (double& value : crossing) value = bytes(random);
    const auto all = places(seconds, crossing);
    for (size_t stages = 2; stages <= 5; ++stages) {
      for (const double per_byte : {0.0, 0.3, 3.0}) {
        for (const bool overlaps : {false, true}) {
          StageLimits wanted    = limits(stages, per_byte);
          wanted.overlaps_sends = overlaps;
          const auto find       = [&](const StageLimits& of) { return balanced_cuts(all, of); };
          const Cuts cuts       = beside_messages(all, wanted, find);
          ASSERT_EQ(cuts.size() + 1, stages);
          EXPECT_NEAR(slowest(all, cuts, wanted), best_of_all(all, wanted), 1e-5);
        }
      }
    }
  }
}

// Much crosses in the middle of four equal ops. Beside the computes of two seconds a message of 0.9 seconds is free,
// and one of 9 seconds is not.
TEST(BalancedCuts, AvoidMessagesThatTakeLongerThanTheComputesBesideThem) {
  const auto all        = places({1, 1, 1, 1}, {1, 9, 2, 0});
  const auto find       = [&](const StageLimits& of) { return balanced_cuts(all, of); };
  StageLimits wanted    = limits(2, 0.1);
  wanted.overlaps_sends = true;
  EXPECT_EQ(beside_messages(all, wanted, find), Cuts{1});
  wanted.seconds_per_byte = 1;
  EXPECT_EQ(beside_messages(all, wanted, find), Cuts{0});
}

TEST(BalancedCuts, SendTheFewestBytesWhereStagesAreAsFast) {
  // The last op is the slowest stage whatever is done; behind ops 1 and 3 little crosses.
  EXPECT_EQ(balanced_cuts(places({1, 1, 1, 1, 9}, {5, 1, 5, 2, 0}), limits(3)), (Cuts{1, 3}));
}

TEST(BalancedCuts, LeaveNoStageIdle) {
  // Two of the six layers are the slowest stage with three stages as with four. Behind the first op little crosses, as
  // token ids do, but a stage of this op alone does nothing.
  const Cuts cuts = balanced_cuts(places({0.001, 1, 1, 1, 1, 1, 1}, {0.1, 1, 1, 1, 1, 1, 0}), limits(4));
  ASSERT_EQ(cuts.size(), 3u);
  EXPECT_GT(cuts.front(), 0);
  // Of four ops one takes all the time: two of three stages are idle wherever the cuts are.
  EXPECT_EQ(balanced_cuts(places({0.001, 9, 0.001, 0.001}, {1, 1, 1, 0}), limits(3)).size(), 2u);
}

TEST(BalancedCuts, KeepEveryStageWithinMemoryIfTheyCan) {
  // Two slow ops and four quick ones; six weights of 1 byte.
  const auto all = places({5, 4, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, 1);
  EXPECT_EQ(balanced_cuts(all, limits(2)), Cuts{0});
  EXPECT_EQ(balanced_cuts(all, limits(2, 0, {Bytes(5)})), Cuts{1});
  EXPECT_EQ(balanced_cuts(all, limits(2, 0, {Bytes(2)})), Cuts{0});  // nothing fits
}

// Four of six ops fit on the larger device, whichever stage it has, and two on the smaller one.
TEST(BalancedCuts, KeepEachStageWithinItsOwnMemory) {
  const auto all = places({1, 1, 1, 1, 2, 2}, {0, 0, 0, 0, 0, 0}, 1);
  EXPECT_EQ(balanced_cuts(all, limits(2, 0, {Bytes(4), Bytes(2)})), Cuts{3});
  EXPECT_EQ(balanced_cuts(all, limits(2, 0, {Bytes(2), Bytes(4)})), Cuts{1});
  EXPECT_EQ(CommonCuts(all).balanced(limits(2, 0, {Bytes(2), Bytes(4)})), Cuts{1});
  EXPECT_TRUE(fit(all, {1}, limits(2, 0, {Bytes(2), Bytes(4)})));
  EXPECT_FALSE(fit(all, {1}, limits(2, 0, {Bytes(4), Bytes(2)})));
  // Two devices share what the program has on one.
  StageLimits shared = limits(2, 0, {Bytes(1), Bytes(4)});
  shared.devices     = {2, 1};
  EXPECT_EQ(balanced_cuts(all, shared), Cuts{1});
}

// Of 8 bytes for each op 4 are optimizer states, 2 gradients and 2 weights. The times are best with two ops in the
// first stage. It holds two microbatches of 1 byte an op, and the second stage one.
std::vector<CutPlace> trained_places() {
  auto all     = places({4, 4, 2, 2, 2, 2}, {0, 0, 0, 0, 0, 0}, 8);
  double count = 0;
  for (CutPlace& place : all) {
    ++count;
    place.held    = Bytes(count);
    place.whole   = {Bytes(2 * count), Bytes(2 * count), Bytes(4 * count)};
    place.shard   = place.whole;
    place.largest = Bytes(2);
  }
  return all;
}

StageLimits limits_of_two(double memory, const Sharded& sharded) {
  StageLimits two = limits(2, 0, {Bytes(memory)});
  two.in_flight   = {2, 1};
  two.sharded     = sharded;
  return two;
}

TEST(BalancedCuts, KeepWhatZeroLeavesWithinMemory) {
  const auto all = trained_places();
  // The last four ops need 4 x (8 + 1) = 36 bytes, and over two replicas 2, 3 or 4 bytes an op less: 28, 24 or 20. Two
  // units of 2 bytes are gathered besides.
  const std::vector<Sharded> stages = {
      {}, {.states = true, .replicas = 2}, {.gradients = true, .states = true, .replicas = 2}};
  const std::vector<double> needs = {36, 28, 24};
  for (size_t zero = 0; zero < stages.size(); ++zero) {
    EXPECT_EQ(balanced_cuts(all, limits_of_two(needs[zero], stages[zero])), Cuts{1}) << zero;
    EXPECT_TRUE(fit(all, {1}, limits_of_two(needs[zero], stages[zero]))) << zero;
    EXPECT_FALSE(fit(all, {1}, limits_of_two(needs[zero] - 1, stages[zero]))) << zero;
  }
  const Sharded three{.weights = true, .gradients = true, .states = true, .replicas = 2, .units = 2};
  EXPECT_TRUE(fit(all, {1}, limits_of_two(24, three)));
  EXPECT_FALSE(fit(all, {1}, limits_of_two(23, three)));
  // A unit of the size of a bucket, or of one of six blocks; no stage gathers more than it has.
  Sharded units = three;
  units.bucket  = Bytes(3);
  EXPECT_FALSE(fit(all, {1}, limits_of_two(25, units)));
  EXPECT_TRUE(fit(all, {1}, limits_of_two(26, units)));
  units.bucket = Bytes(100);
  EXPECT_TRUE(fit(all, {1}, limits_of_two(28, units)));
  units.blocks = 6;
  EXPECT_TRUE(fit(all, {1}, limits_of_two(24, units)));
}

TEST(BalancedCuts, MoveWhereStagesDoNotFitWithoutZero) {
  const auto all = trained_places();
  // Three ops in the first stage need 3 x (8 + 2) = 30 bytes; two of them would leave 36 to the second.
  EXPECT_EQ(balanced_cuts(all, limits_of_two(30, {})), Cuts{2});
  EXPECT_EQ(balanced_cuts(all, limits_of_two(30, {.states = true, .replicas = 2})), Cuts{1});
}

TEST(BalancedCuts, ShardOverTheRanksOfAProgram) {
  auto all = trained_places();
  for (CutPlace& place : all)
    place.shard = {place.whole.weights / 4, place.whole.gradients / 4, place.whole.states / 4};
  // Of 4 bytes of states an op a rank keeps 1, and each of two replicas half of that.
  EXPECT_TRUE(fit(all, {1}, limits_of_two(24, {.states = true})));
  EXPECT_FALSE(fit(all, {1}, limits_of_two(23, {.states = true})));
  EXPECT_TRUE(fit(all, {1}, limits_of_two(22, {.states = true, .replicas = 2})));
  EXPECT_FALSE(fit(all, {1}, limits_of_two(21, {.states = true, .replicas = 2})));
}

TEST(BalancedCuts, GiveAStageItsShare) {
  StageLimits uneven = limits(2);
  uneven.shares      = {3, 1};
  EXPECT_EQ(balanced_cuts(places({1, 1, 1, 1}, {1, 1, 1, 1}), uneven), Cuts{2});
}

// A slow device computes at half speed, but its messages take as long.
TEST(BalancedCuts, DivideOnlyWhatIsComputedByTheSpeed) {
  auto all = places({4, 4, 4, 4, 4, 4, 4}, {1, 1, 1, 1, 1, 1, 0});
  for (CutPlace& place : all) place.messages = place.seconds / 2;  // an op takes 4 s, on the slow device 2 + 2 x 2
  StageLimits uneven = limits(2, 0.5);
  for (const bool slow_last : {true, false}) {
    uneven.speeds = slow_last ? std::vector<double>{1, 0.5} : std::vector<double>{0.5, 1};
    const Cuts cuts{slow_last ? 3 : 2};
    EXPECT_EQ(balanced_cuts(all, uneven), cuts);
    // Either stage sends or receives a byte in either direction.
    const std::vector<double> times = {4 * 4 + 1.0, 3 * 6 + 1.0};
    EXPECT_EQ(seconds_between(all, cuts, uneven),
              slow_last ? times : std::vector<double>(times.rbegin(), times.rend()));
  }
  // A fast one computes four times as fast, and a stage that has twice the share may take twice as long.
  uneven.speeds = {4, 1};
  EXPECT_EQ(balanced_cuts(all, uneven), Cuts{3});  // 4 x 2.5 s and 3 x 4 s
  uneven.shares = {1, 2};
  EXPECT_EQ(balanced_cuts(all, uneven), Cuts{2});  // 3 x 2.5 s and 4 x 4 / 2 s
}

TEST(BalancedCuts, AreNoneWhereThereAreTooFewPlaces) {
  EXPECT_TRUE(balanced_cuts(places({1, 1}, {1, 1}), limits(3)).empty());
}

// In a convolutional network ever fewer bytes cross, so that only the last places are quiet.
TEST(BalancedAtQuietPlaces, CutAConvolutionalNetworkInHalves) {
  const auto all = places({1, 1, 1, 1, 1, 1, 1, 1}, {8, 7, 6, 5, 4, 3, 2, 0}, 1);
  EXPECT_EQ(CommonCuts(all).balanced(limits(2)), Cuts{3});
}

// Two tensors cross inside a layer of three ops, and one behind it: stages end there, though others were more even.
TEST(BalancedAtQuietPlaces, EndStagesBehindLayers) {
  auto all = places({1, 1, 1, 1, 1, 1, 1, 1, 1}, {3, 3, 1, 3, 3, 1, 3, 3, 0}, 1);
  for (CutPlace& place : all) place.tensors = place.crossing == Bytes(3) ? 2 : 1;
  EXPECT_EQ(CommonCuts(all).balanced(limits(2)), Cuts{5});
}

TEST(BalancedAtQuietPlaces, AreNeverSlowerThanCutsOfEqualWork) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> time(0.1, 4), bytes(0.1, 3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> seconds(24), crossing(24);
    for (double& value : seconds) value = time(random);
    for (double& value : crossing) value = bytes(random);
    const auto all = places(seconds, crossing, 1);
    for (size_t stages = 2; stages <= 5; ++stages) {
      const StageLimits wanted = limits(stages, 0.1);
      const Cuts cuts          = CommonCuts(all).balanced(wanted);
      ASSERT_EQ(cuts.size() + 1, stages);
      EXPECT_LE(slowest(all, cuts, wanted), slowest(all, uniform_cuts(all, wanted.shares), wanted) * (1 + kSameTime));
      EXPECT_DOUBLE_EQ(slowest_stage(all, cuts, wanted), slowest(all, cuts, wanted));
    }
  }
}

// The quiet places lie where stages need much, so that only cuts between them fit.
TEST(BalancedAtQuietPlaces, FitWhereUniformCutsDo) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> bytes(0.1, 3);
  int squeezed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> crossing(16);
    for (double& value : crossing) value = bytes(random);
    const auto all           = places(std::vector<double>(16, 1), crossing, 1);
    const StageLimits memory = limits(4, 0, {Bytes(6.5)});
    const Cuts uniform       = uniform_cuts(all, memory.shares);
    const bool is_within     = uniform.size() == 3 && fit(all, uniform, memory);
    if (!is_within) continue;
    squeezed += balanced_within_memory(quiet_places(all, 4), memory).empty() ? 1 : 0;
    EXPECT_TRUE(fit(all, CommonCuts(all).balanced(memory), memory)) << trial;
  }
  EXPECT_GT(squeezed, 10);
}

}  // namespace
}  // namespace foreflow::transform::balanced_cuts_test
