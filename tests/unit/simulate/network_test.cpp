// Which links the contention solver gets to see.
#include "simulate/network/network.h"

#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "support/machine.h"

namespace foreflow::simulate::network_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::star;
using test::Wiring;

const Bytes kBytes(1e6);
const BytesPerSecond kBandwidth(10e9);
const double kCapacity = kBandwidth.value();

// The pruned links that each route crosses, with their weights.
using Routes = std::vector<std::vector<std::pair<int, double>>>;
Routes routes(const Network& network) {
  Routes result;
  for (const auto& route : network.routes) {
    auto& crossed = result.emplace_back();
    for (const auto& [link, weight] : route) crossed.emplace_back(link, weight);
  }
  return result;
}

Network condensed(ProgramWriter& writer, const platform::Platform& platform) {
  return condense(writer.program(), footprints(writer.program(), platform), platform);
}

TEST(Network, RingAloneNeedsItsSlowestLinkOnly) {
  Wiring wiring(3);
  const std::vector<int> links = {wiring.link(2 * kBandwidth), wiring.link(kBandwidth), wiring.link(3 * kBandwidth)};
  for (int i = 0; i < 3; ++i) wiring.route(i, (i + 1) % 3, {nth(links, i)});
  ProgramWriter writer(3);
  writer.communicate(Kind::all_reduce, {0, 1, 2}, kBytes);
  const Network network = condensed(writer, wiring.platform());
  EXPECT_EQ(network.capacities, std::vector{kCapacity});
  EXPECT_EQ(routes(network), (Routes{{{0, 1}}}));
}

TEST(Network, LinkThatOneRouteCrossesTwiceIsALinkOfHalfTheBandwidth) {
  Wiring wiring(2);
  const int link = wiring.link(kBandwidth);
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  EXPECT_EQ(condensed(writer, wiring.route(0, 1, {link, link}).platform()).capacities, std::vector{kCapacity / 2});
}

TEST(Network, MultiplicitiesStayInProportionWhereOthersCrossTheLink) {
  Wiring wiring(4);
  const int link = wiring.link(kBandwidth);
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {2, 3}, kBytes);
  const Network network = condensed(writer, wiring.route(0, 1, {link, link}).route(2, 3, {link}).platform());
  EXPECT_EQ(network.capacities, std::vector{kCapacity / 2});
  EXPECT_EQ(routes(network), (Routes{{{0, 1}}, {{0, 0.5}}}));
}

TEST(Network, SizesAndRepetitionsShareARoute) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes).communicate(Kind::all_gather, {0, 1, 2, 3}, 2 * kBytes);
  writer.repeat(0, {0, 1, 2, 3});
  const Network network = condensed(writer, star(4, kBandwidth, Seconds(0)));
  EXPECT_EQ(network.routes.size(), 1U);
  EXPECT_EQ(network.capacities.size(), 1U);
  EXPECT_EQ(network.route_of, (std::vector<int>{0, 0}));
}

TEST(Network, WhatMovesNothingLoadsNothing) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, Bytes(0)).communicate(Kind::send, {0, 1}, kBytes, Seconds(1));
  const Footprints prints = footprints(writer.program(), star(2, kBandwidth, Seconds(0)));
  EXPECT_TRUE(prints.loads.empty());
  EXPECT_EQ(prints.phases[0].load, -1);
  EXPECT_EQ(prints.phases[1].load, -1);
}

TEST(Network, SpecialLinksStayApart) {
  ProgramWriter writer(3);
  writer.communicate(Kind::all_reduce, {0, 1, 2}, kBytes);
  const auto platform   = star(3, kBandwidth, Seconds(0));
  const Network network = condense(writer.program(), footprints(writer.program(), platform), platform, {1, 4});
  EXPECT_EQ(network.capacities.size(), 3U);
  EXPECT_NE(network.specials[0].link, network.specials[1].link);
  EXPECT_EQ(network.exclusive, std::vector{false});
}

TEST(Network, RouteIsExclusiveWhereOnlyTheSameStreamsUseItsLinks) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {0, 1}, 2 * kBytes);
  writer.communicate(Kind::send, {2, 3}, kBytes).communicate(Kind::send, {3, 2}, kBytes);
  const auto platform = star(4, kBandwidth, Seconds(0));
  EXPECT_EQ(condensed(writer, platform).exclusive, (std::vector{true, true, true}));
  writer.communicate(Kind::send, {0, 2}, kBytes);  // the way up from 0 and down to 2
  EXPECT_EQ(condensed(writer, platform).exclusive, (std::vector{false, true, false, false}));
}

TEST(Footprint, OfRepeatedInstancesIsMadeOnce) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).repeat(0, {2, 3}).repeat(0, {0, 1}).repeat(0, {1, 0});
  const Footprints prints = footprints(writer.program(), star(4, kBandwidth, Seconds(0)));
  EXPECT_EQ(prints.of_instance, (std::vector<int32_t>{0, 1, 0, 2}));
}

}  // namespace
}  // namespace foreflow::simulate::network_test
