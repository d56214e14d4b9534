// Weighted max-min fair rates: systems solved by hand, and random changes against a calculation from scratch.
#include "simulate/network/fair_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "support/random_streams.h"

namespace foreflow::simulate::fair_shares_test {
namespace {

using Route = std::vector<FairShares::Crossing>;

TEST(FairShares, FlowHeldUpElsewhereLeavesTheRest) {
  // a: link 0; b: links 0 and 1. Link 1 gives b its 4; link 0 leaves a 10 - 4.
  FairShares shares({10, 4});
  const Route only{{0, 1}}, both{{0, 1}, {1, 1}};
  const int32_t a = shares.add(only), b = shares.add(both);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 6);
  EXPECT_DOUBLE_EQ(shares.rate(b), 4);
  EXPECT_EQ(shares.bottleneck(b), 1);
}

TEST(FairShares, LinkCarriesTheWeightOfEachFlow) {
  // 2 x + 1 x = 12.
  FairShares shares({12});
  const Route twice{{0, 2}}, once{{0, 1}};
  const int32_t a = shares.add(twice), b = shares.add(once);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 4);
  EXPECT_DOUBLE_EQ(shares.rate(b), 4);
}

TEST(FairShares, ParkingLot) {
  // One flow over three links of 6, 9 and 12, and one more on each: the first link fixes the long one at 3.
  FairShares shares({6, 9, 12});
  const Route all{{0, 1}, {1, 1}, {2, 1}}, first{{0, 1}}, second{{1, 1}}, third{{2, 1}};
  const int32_t a = shares.add(all), b = shares.add(first), c = shares.add(second), d = shares.add(third);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 3);
  EXPECT_DOUBLE_EQ(shares.rate(b), 3);
  EXPECT_DOUBLE_EQ(shares.rate(c), 6);
  EXPECT_DOUBLE_EQ(shares.rate(d), 9);
  shares.remove(b);  // now link 1 holds the long one up, at 4.5
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 4.5);
  EXPECT_DOUBLE_EQ(shares.rate(c), 4.5);
  EXPECT_DOUBLE_EQ(shares.rate(d), 7.5);
}

TEST(FairShares, NothingGetsThroughALinkOfCapacityZero) {
  FairShares shares({10, 10});
  const Route both{{0, 1}, {1, 1}}, only{{0, 1}};
  const int32_t a = shares.add(both), b = shares.add(only);
  shares.set_capacity(1, 0);
  shares.update();
  EXPECT_EQ(shares.rate(a), 0);
  EXPECT_EQ(shares.bottleneck(a), 1);
  EXPECT_DOUBLE_EQ(shares.rate(b), 10);
  shares.set_capacity(1, 2);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 2);
  EXPECT_DOUBLE_EQ(shares.rate(b), 8);
}

// Progressive filling over all flows.
std::map<int32_t, double> from_scratch(const std::map<int32_t, Route>& flows, const std::vector<double>& capacities) {
  std::map<int32_t, double> rates;
  while (rates.size() < flows.size()) {
    double least  = std::numeric_limits<double>::infinity();
    int32_t found = -1;
    for (size_t link = 0; link < capacities.size(); ++link) {
      double room = capacities[link], weight = 0;
      for (const auto& [flow, route] : flows) {
        for (const auto& crossing : route) {
          if (crossing.link != static_cast<int32_t>(link)) continue;
          if (rates.contains(flow)) {
            room -= crossing.weight * rates[flow];
          } else {
            weight += crossing.weight;
          }
        }
      }
      if (weight == 0 || room / weight >= least) continue;
      least = room / weight;
      found = static_cast<int32_t>(link);
    }
    for (const auto& [flow, route] : flows) {
      const bool crosses = std::any_of(route.begin(), route.end(), [&](const auto& one) { return one.link == found; });
      if (crosses && !rates.contains(flow)) rates[flow] = std::max(least, 0.0);
    }
  }
  return rates;
}

TEST(FairShares, StayRightThroughAnyChanges) {
  using test::draw;
  using test::draw_real;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int links = draw(rng, 1, 12);
    std::vector<double> capacities;
    for (int i = 0; i < links; ++i) capacities.push_back(draw_real(rng, 1, 100));
    FairShares shares(capacities);
    std::map<int32_t, Route> flows;
    std::deque<Route> kept;  // routes outlive their flows
    for (int step = 0; step < 60; ++step) {
      for (int i = draw(rng, 1, 3); i > 0; --i) {
        const int what = draw(rng, 0, 4);
        if (what < 3) {
          std::map<int32_t, double> weights;
          for (int k = draw(rng, 1, 4); k > 0; --k) weights[draw(rng, 0, links - 1)] = draw(rng, 1, 4) / 2.0;
          Route& route = kept.emplace_back();
          for (const auto& [link, weight] : weights) route.push_back({link, weight});
          flows[shares.add(route)] = route;
        } else if (what == 3 && !flows.empty()) {
          const auto gone = std::next(flows.begin(), draw(rng, 0, static_cast<int>(flows.size()) - 1));
          shares.remove(gone->first);
          flows.erase(gone);
        } else {
          const auto link  = static_cast<size_t>(draw(rng, 0, links - 1));
          capacities[link] = draw(rng, 0, 5) == 0 ? 0 : draw_real(rng, 1, 100);
          shares.set_capacity(static_cast<int32_t>(link), capacities[link]);
        }
      }
      shares.update();
      for (const auto& [flow, rate] : from_scratch(flows, capacities))
        EXPECT_NEAR(shares.rate(flow), rate, 1e-9 * (1 + rate));
    }
  }
}

}  // namespace
}  // namespace foreflow::simulate::fair_shares_test
