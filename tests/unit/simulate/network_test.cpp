// Which links the contention solver gets to see.
#include "simulate/network.h"

#include <gtest/gtest.h>

#include "support/machine.h"

namespace foreflow::simulate {
namespace {

using collective::Kind;
using testing_support::ProgramWriter;
using testing_support::star;
using testing_support::Wiring;

const Bytes kBytes(1e6);
const BytesPerSecond kBandwidth(10e9);

Network condensed(ProgramWriter& writer, const platform::Platform& platform) {
  return condense(footprints(writer.program(), platform), platform);
}

TEST(Network, RingAloneNeedsItsSlowestLinkOnly) {
  Wiring wiring(3);
  const std::vector<int> links = {wiring.link(2 * kBandwidth), wiring.link(kBandwidth), wiring.link(3 * kBandwidth)};
  for (int i = 0; i < 3; ++i) wiring.route(i, (i + 1) % 3, {links[static_cast<size_t>(i)]});
  ProgramWriter writer(3);
  writer.communicate(Kind::all_reduce, {0, 1, 2}, kBytes);
  const Network network = condensed(writer, wiring.platform());
  EXPECT_EQ(network.links, std::vector{kBandwidth});
  EXPECT_EQ(network.routes, (std::vector<std::vector<int>>{{0}}));
}

TEST(Network, LinkThatOneRouteCrossesTwiceIsALinkOfHalfTheBandwidth) {
  Wiring wiring(2);
  const int link = wiring.link(kBandwidth);
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  EXPECT_EQ(condensed(writer, wiring.route(0, 1, {link, link}).platform()).links, std::vector{kBandwidth / 2});
}

TEST(Network, MultiplicityStaysWhereOthersCrossTheLink) {
  Wiring wiring(4);
  const int link = wiring.link(kBandwidth);
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {2, 3}, kBytes);
  const Network network = condensed(writer, wiring.route(0, 1, {link, link}).route(2, 3, {link}).platform());
  EXPECT_EQ(network.links, std::vector{kBandwidth});
  EXPECT_EQ(network.routes, (std::vector<std::vector<int>>{{0, 0}, {0}}));
}

TEST(Network, SizesAndRepetitionsShareARoute) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes).communicate(Kind::all_gather, {0, 1, 2, 3}, 2 * kBytes);
  writer.repeat(0, {0, 1, 2, 3});
  const Network network = condensed(writer, star(4, kBandwidth, Seconds(0)));
  EXPECT_EQ(network.routes.size(), 1U);
  EXPECT_EQ(network.links.size(), 1U);
  EXPECT_EQ(network.route_of, (std::vector<int>{0, 0}));
}

TEST(Network, WhatMovesNothingHasNoRoute) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, Bytes(0)).communicate(Kind::send, {0, 1}, kBytes, Seconds(1));
  const Network network = condensed(writer, star(2, kBandwidth, Seconds(0)));
  EXPECT_TRUE(network.links.empty());
  EXPECT_EQ(network.route_of, (std::vector<int>{-1, -1}));
}

TEST(Footprint, OfRepeatedInstancesIsMadeOnce) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).repeat(0, {2, 3}).repeat(0, {0, 1}).repeat(0, {1, 0});
  const Footprints prints = footprints(writer.program(), star(4, kBandwidth, Seconds(0)));
  EXPECT_EQ(prints.of_instance, (std::vector<int32_t>{0, 1, 0, 2}));
}

}  // namespace
}  // namespace foreflow::simulate
