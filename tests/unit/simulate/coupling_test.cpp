// A ring that one slow member throttles, beside a ring that it shares the NICs with: how much the other one loses
// depends on how closely the hops of a ring hang together.
#include <gtest/gtest.h>

#include "foreflow/simulate/simulate.h"
#include "support/machine.h"

namespace foreflow::simulate {
namespace {

using collective::Kind;
using testing_support::ProgramWriter;
using testing_support::Wiring;

const Bytes kBytes(1e9);
const BytesPerSecond kNic(50e9), kSlow(10e9), kOwn(450e9);

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
      wiring.route(2 * i + ring, 2 * next + ring, {own, out[static_cast<size_t>(i)], in[static_cast<size_t>(next)]});
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

// Measured with explicit SimGrid communications (reference/simgrid.md, section 2); with 16 nodes and slices the order
// of single slices plays a part.
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
}  // namespace foreflow::simulate
