// Cuts into stages: as good as trying all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "foreflow/base/nth.h"
#include "transform/pipeline/cuts.h"

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

StageLimits limits(size_t stages, double seconds_per_byte = 0, Bytes memory = Bytes(0)) {
  return {std::vector<double>(stages, 1), std::vector<double>(stages, 1), memory, seconds_per_byte};
}

// The time of the slowest stage.
double slowest(const std::vector<CutPlace>& all, const Cuts& cuts, double seconds_per_byte) {
  double worst = 0, before = 0, in = 0;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    const bool last       = stage == cuts.size();
    const CutPlace& place = last ? all.back() : nth(all, cuts[stage]);
    const double out      = last ? 0 : 2 * seconds_per_byte * place.crossing.value();
    worst                 = std::max(worst, place.seconds - before + in + out);
    before                = place.seconds;
    in                    = out;
  }
  return worst;
}

double best_of_all(const std::vector<CutPlace>& all, size_t stages, double seconds_per_byte) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<bool> chosen(all.size() - 1);
  std::fill(chosen.begin(), chosen.begin() + static_cast<ptrdiff_t>(stages) - 1, true);
  do {
    Cuts cuts;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i]) cuts.push_back(static_cast<int32_t>(i));
    }
    best = std::min(best, slowest(all, cuts, seconds_per_byte));
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
      for (const double per_byte : {0.0, 0.3}) {
        const Cuts cuts = balanced_cuts(all, limits(stages, per_byte));
        ASSERT_EQ(cuts.size() + 1, stages);
        EXPECT_NEAR(slowest(all, cuts, per_byte), best_of_all(all, stages, per_byte), 1e-5);
      }
    }
  }
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
  EXPECT_EQ(balanced_cuts(all, limits(2, 0, Bytes(5))), Cuts{1});
  EXPECT_EQ(balanced_cuts(all, limits(2, 0, Bytes(2))), Cuts{0});  // nothing fits
}

TEST(BalancedCuts, GiveAStageItsShare) {
  StageLimits uneven = limits(2);
  uneven.shares      = {3, 1};
  EXPECT_EQ(balanced_cuts(places({1, 1, 1, 1}, {1, 1, 1, 1}), uneven), Cuts{2});
}

TEST(BalancedCuts, AreNoneWhereThereAreTooFewPlaces) {
  EXPECT_TRUE(balanced_cuts(places({1, 1}, {1, 1}), limits(3)).empty());
}

// In a convolutional network ever fewer bytes cross, so that only the last places are quiet.
TEST(BalancedAtQuietPlaces, CutAConvolutionalNetworkInHalves) {
  const auto all = places({1, 1, 1, 1, 1, 1, 1, 1}, {8, 7, 6, 5, 4, 3, 2, 0}, 1);
  EXPECT_EQ(balanced_at_quiet_places(all, limits(2)), Cuts{3});
}

// Two tensors cross inside a layer of three ops, and one behind it: stages end there, though others were more even.
TEST(BalancedAtQuietPlaces, EndStagesBehindLayers) {
  auto all = places({1, 1, 1, 1, 1, 1, 1, 1, 1}, {3, 3, 1, 3, 3, 1, 3, 3, 0}, 1);
  for (CutPlace& place : all) place.tensors = place.crossing == Bytes(3) ? 2 : 1;
  EXPECT_EQ(balanced_at_quiet_places(all, limits(2)), Cuts{5});
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
      const Cuts cuts          = balanced_at_quiet_places(all, wanted);
      ASSERT_EQ(cuts.size() + 1, stages);
      EXPECT_LE(slowest(all, cuts, 0.1), slowest(all, uniform_cuts(all, wanted.shares), 0.1) * (1 + kSameTime));
      EXPECT_DOUBLE_EQ(slowest_stage(all, cuts, wanted), slowest(all, cuts, 0.1));
    }
  }
}

}  // namespace
}  // namespace foreflow::transform::balanced_cuts_test
