// A ring that one slow member throttles, beside a ring that it shares the NICs with: how much the other one loses
// depends on how closely the hops of a ring are coupled.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "support/cluster.h"
#include "support/machine.h"

namespace foreflow::simulate::coupling_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::Wiring;

const Bytes kBytes(1e9);
const BytesPerSecond kNic(50e9), kSlow(10e9), kOwn(450e9), kSlowNic(5e9);

// Two devices a node, each on a ring through all nodes over the node's one NIC; device 0's way out is slow.
Wiring two_rings(int nodes, Seconds latency) {
  Wiring wiring(2 * nodes);
  std::vector<int> out, in;
  for (int i = 0; i < nodes; ++i) {
    out.push_back(wiring.link(kNic, latency));
    in.push_back(wiring.link(kNic));
  }
  for (int i = 0; i < nodes; ++i) {
    const int next = (i + 1) % nodes;
    for (const int ring : {0, 1}) {
      const int own = wiring.link(ring == 0 && i == 0 ? kSlow : kOwn);
      wiring.route(2 * i + ring, 2 * next + ring, {own, nth(out, i), nth(in, next)});
    }
  }
  return wiring;
}

stream::Timeline both_rings(int nodes, Coupling coupling) {
  ProgramWriter writer(2 * nodes);
  for (const int ring : {0, 1}) {
    std::vector<int> members;
    for (int i = 0; i < nodes; ++i) members.push_back(2 * i + ring);
    writer.communicate(Kind::all_reduce, members, kBytes);
  }
  Options options;
  options.coupling = coupling;
  return engines().get("simgrid", "test").run(writer.program(), two_rings(nodes, Seconds(0)).platform(), options);
}

// Ends of the throttled ring and of the other, in seconds.
void expect_ends(int nodes, Coupling coupling, double other, double tolerance) {
  const auto timeline    = both_rings(nodes, coupling);
  const double throttled = (2.0 * (nodes - 1) / nodes * kBytes / kSlow).value();
  EXPECT_NEAR(timeline.records[0][0].end.value(), throttled, tolerance * throttled);
  EXPECT_NEAR(timeline.records[1][0].end.value(), other, tolerance * other);
}

// The second number is the end of the other ring when each message is a SimGrid communication of its own; with 16
// nodes and slices the order of single slices plays a part.
TEST(Coupling, CoupledRingLeavesWhatItsSlowestHopCannotUse) {
  for (const int nodes : {4, 16})
    expect_ends(nodes, Coupling::coupled, (2.0 * (nodes - 1) / nodes * kBytes / (kNic - kSlow)).value(), 1e-9);
  expect_ends(4, Coupling::coupled, 0.0375, 1e-3);
  expect_ends(16, Coupling::coupled, 0.0469, 1e-3);
}

TEST(Coupling, CreditLiesBetween) {
  expect_ends(4, Coupling::credit, 0.0441, 0.01);
  expect_ends(16, Coupling::credit, 0.0625, 0.01);
}

TEST(Coupling, StepsRunAheadOfASlowMember) {
  expect_ends(4, Coupling::stepwise, 0.0525, 1e-6);
  expect_ends(16, Coupling::stepwise, 0.0681, 1e-3);
}

TEST(Coupling, AutomaticIsCreditForASlowMemberAmongOthers) {
  const auto automatic = both_rings(4, Coupling::automatic), credit = both_rings(4, Coupling::credit);
  EXPECT_GT(automatic.flows.size(), 4U);  // the throttled ring by hops, the other as one
  EXPECT_LT(automatic.flows.size(), credit.flows.size());
  EXPECT_GT(automatic.records[1][0].end.value(), 0.0376);
}

TEST(Coupling, AloneARingTakesTheSameTimeHoweverItIsCoupled) {
  const int nodes = 5;
  const Seconds latency(2e-6);
  for (const Coupling coupling : {Coupling::coupled, Coupling::credit, Coupling::stepwise, Coupling::automatic}) {
    ProgramWriter writer(2 * nodes);
    writer.communicate(Kind::all_reduce, {1, 3, 5, 7, 9}, Bytes(1e7));
    Options options;
    options.coupling = coupling;
    const auto timeline =
        engines().get("simgrid", "test").run(writer.program(), two_rings(nodes, latency).platform(), options);
    const double expected = 8 * (latency.value() + 1e7 / nodes / kNic.value());
    EXPECT_NEAR(timeline.makespan.value(), expected, 1e-9 * expected);
    EXPECT_NEAR(timeline.links[0].bytes.value(), 8 * 1e7 / nodes, 1e-3);
  }
}

// Two nodes of two with a NIC for each device; that of device 2 is slow on its way out. The ring over S has the
// channels 0 1 3 2, which leaves node 1 by device 2, and 1 0 2 3, which leaves it by device 3: six steps of S/8 each.
// No link is crossed by both but ports, which are fast, so each channel takes 6 S/8 over its slowest NIC.
stream::Timeline two_channels(Coupling coupling, Seconds latency) {
  test::Ports ports;
  ports.near_latency = ports.far_latency = latency;
  platform::Platform even                = test::cluster({0, 0, 1, 1}, ports);
  std::vector<platform::Link> links      = even.links();
  links[8 + 2 * 2].bandwidth             = kSlowNic;
  std::vector<platform::Route> routes;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) routes.push_back(even.route(from, to));
  }
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes);
  Options options;
  options.coupling = coupling;
  options.observe  = true;
  return engines().get("simgrid", "test").run(writer.program(), {"slow", even.devices(), links, routes}, options);
}

TEST(Coupling, ChannelsAreRingsOfTheirOwn) {
  const double slow = (6 * kBytes / 8 / kSlowNic).value(), even = (6 * kBytes / 8 / test::Ports().far).value();
  const auto coupled = two_channels(Coupling::coupled, Seconds(0));
  ASSERT_EQ(coupled.flows.size(), 1U);
  EXPECT_NEAR(coupled.makespan.value(), slow, 1e-9 * slow);
  for (const Coupling coupling : {Coupling::credit, Coupling::stepwise}) {
    const auto timeline = two_channels(coupling, Seconds(0));
    ASSERT_EQ(timeline.flows.size(), 8U);  // four hops each
    EXPECT_NEAR(timeline.makespan.value(), slow, 0.05 * slow);
    size_t early = 0;
    for (const stream::Flow& flow : timeline.flows) early += flow.end.value() < 1.05 * even ? 1 : 0;
    EXPECT_EQ(early, 4U);  // all hops of the channel without the slow NIC
    for (size_t link = 0; link < timeline.links.size(); ++link)
      EXPECT_NEAR(timeline.links[link].bytes.value(), coupled.links[link].bytes.value(), 1e-9 * kBytes.value());
  }
  EXPECT_EQ(two_channels(Coupling::automatic, Seconds(0)).flows.size(), 1U);
}

// Rings of the nodes side by side; a hierarchical all-reduce has one in each node, then one for each rail.
TEST(Coupling, RingsBesideEachOtherMoveByHops) {
  ProgramWriter writer(6);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3, 4, 5}, kBytes);
  writer.program().communications.back().algorithm = &collective::algorithms().get("hierarchical", "test");
  const auto platform                              = test::cluster({0, 0, 0, 1, 1, 1});
  Options options;
  options.coupling    = Coupling::coupled;
  const auto coupled  = engines().get("simgrid", "test").run(writer.program(), platform, options);
  options.coupling    = Coupling::stepwise;
  const auto stepwise = engines().get("simgrid", "test").run(writer.program(), platform, options);
  EXPECT_EQ(coupled.flows.size(), 3U);
  EXPECT_EQ(stepwise.flows.size(), 18U);
  EXPECT_NEAR(stepwise.makespan.value(), coupled.makespan.value(), 1e-9 * coupled.makespan.value());
}

TEST(Coupling, HopsAreObserved) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 2}, Bytes(1e7)).communicate(Kind::all_reduce, {1, 3}, Bytes(1e7));
  Options options;
  options.coupling = Coupling::credit;
  options.observe  = true;
  const auto timeline =
      engines().get("simgrid", "test").run(writer.program(), two_rings(2, Seconds(0)).platform(), options);
  ASSERT_EQ(timeline.flows.size(), 4U);  // two hops each
  for (size_t i = 0; i < timeline.flows.size(); ++i) {
    Bytes moved(0);
    const auto& paces = timeline.paces[i];
    for (size_t k = 0; k < paces.size(); ++k)
      moved += paces[k].rate * ((k + 1 < paces.size() ? paces[k + 1].from : timeline.flows[i].end) - paces[k].from);
    EXPECT_NEAR(moved.value(), 1e7, 1);
  }
}

TEST(Coupling, AnalyticEngineRefusesWhatItCannotTellApart) {
  ProgramWriter writer(4);
  Options options;
  for (const Coupling coupling : {Coupling::credit, Coupling::stepwise}) {
    options.coupling = coupling;
    EXPECT_THROW(engines().get("analytic", "test").run(writer.program(), two_rings(2, Seconds(0)).platform(), options),
                 Error);
  }
}

}  // namespace
}  // namespace foreflow::simulate::coupling_test
