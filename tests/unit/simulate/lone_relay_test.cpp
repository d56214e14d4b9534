// Rings that move hop by hop with nothing else on their links: their course is found once, without simulating steps
// that repeat each other, and is what the simulation of every slice gives.
#include "simulate/network/lone_relay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "foreflow/simulate/simulate.h"
#include "support/machine.h"

namespace foreflow::simulate::lone_relay_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::Wiring;

// A device at each of `nodes` places of a ring, and one more, whose messages to device 0 share its way in. The way from
// device 0 to device 1 is slow.
platform::Platform ring(int nodes) {
  Wiring wiring(nodes + 1);
  std::vector<int> in;
  for (int i = 0; i < nodes; ++i) in.push_back(wiring.link(BytesPerSecond(i == 1 ? 10e9 : 25e9), Seconds(2e-6)));
  for (int from = 0; from <= nodes; ++from) {
    for (int to = 0; to < nodes; ++to) {
      if (from != to) wiring.route(from, to, {in[static_cast<size_t>(to)]});
    }
  }
  for (int i = 0; i < nodes; ++i) wiring.route(i, nodes, {in[0]});
  return wiring.platform();
}

std::vector<int> first(int nodes) {
  std::vector<int> members;
  for (int i = 0; i < nodes; ++i) members.push_back(i);
  return members;
}

// The flows of a timeline, of each instance by what they cross.
std::vector<stream::Flow> flows_of(const stream::Timeline& timeline) {
  std::vector<stream::Flow> flows = timeline.flows;
  std::sort(flows.begin(), flows.end(), [](const stream::Flow& a, const stream::Flow& b) {
    return std::pair(a.instance, a.load) < std::pair(b.instance, b.load);
  });
  return flows;
}

// Simulated with known courses, and slice by slice.
void expect_same_courses(const stream::Program& program, const platform::Platform& platform, size_t flows,
                         Coupling coupling = Coupling::credit) {
  Options options;
  options.coupling  = coupling;
  const auto known  = engines().get("simgrid", "test").run(program, platform, options);
  options.fold      = false;
  const auto slices = engines().get("simgrid", "test").run(program, platform, options);
  const auto actual = flows_of(known), expected = flows_of(slices);
  ASSERT_EQ(actual.size(), flows);
  ASSERT_EQ(expected.size(), flows);
  for (size_t i = 0; i < flows; ++i) {
    const double allowed = 1e-9 * slices.makespan.value();
    EXPECT_EQ(actual[i].load, expected[i].load);
    EXPECT_NEAR(actual[i].start.value(), expected[i].start.value(), allowed) << i;
    EXPECT_NEAR(actual[i].end.value(), expected[i].end.value(), allowed) << i;
  }
  EXPECT_NEAR(known.makespan.value(), slices.makespan.value(), 1e-9 * slices.makespan.value());
}

TEST(LoneRelay, TakesAsLongAsSliceBySlice) {
  ProgramWriter writer(25);
  for (int i = 0; i < 3; ++i) writer.communicate(Kind::all_reduce, first(24), Bytes(1e9));
  expect_same_courses(writer.program(), ring(24), 72);
}

TEST(LoneRelay, IsSimulatedSliceBySliceWhereOthersComeToItsLinks) {
  ProgramWriter writer(9);
  const int receiver = writer.stream(0);
  writer.communicate(Kind::all_reduce, first(8), Bytes(1e8));
  writer.compute(8, Seconds(0.002)).communicate(Kind::send, {8, receiver}, Bytes(3e7));
  writer.communicate(Kind::all_reduce, first(8), Bytes(1e8));
  expect_same_courses(writer.program(), ring(8), 17);
}

// A message comes when the ring has been under way for 2, for 20, and for 200 us, and another one before it has begun.
TEST(LoneRelay, LeavesItsCourseWhenAnotherFlowComes) {
  for (const double begin : {0.0, 2e-6, 20e-6, 200e-6}) {
    ProgramWriter writer(9);
    const int receiver = writer.stream(0);
    for (int i = 0; i < 3; ++i) {
      writer.communicate(Kind::all_reduce, first(8), Bytes(1e8));
      writer.compute(8, Seconds(begin + 0.004)).communicate(Kind::send, {8, receiver}, Bytes(3e6));
    }
    expect_same_courses(writer.program(), ring(8), 27, Coupling::automatic);
  }
}

TEST(LoneRelay, StopsWhereItIsTold) {
  const int32_t hops = 8, steps = 2 * (hops - 1), slices = 10;
  LoneRelayPlan plan{{steps, slices, 8, 8}, {hops}, {}, {}, {}, 1e-6};
  for (int32_t hop = 0; hop < hops; ++hop) {
    plan.routes.push_back({{hop, 1}});
    plan.amounts.push_back(1e6);
    plan.capacities.push_back(hop == 5 ? 10e9 : 25e9);
  }
  const double until = 5.5 * (1e-6 + slices * 1e-4);  // in the middle of the sixth step of the slow hop
  const LoneRelay relay(plan, until);
  EXPECT_FALSE(relay.done());
  EXPECT_EQ(relay.relay().arrived(5), 54);  // the latencies of five steps are a little more than a slice's twentieth
  int under_way = 0;
  relay.for_all_pieces([&](size_t hop, double begin, double left) {
    EXPECT_GE(begin, until);
    EXPECT_GT(left, 0);
    under_way += hop == 5;
  });
  EXPECT_EQ(under_way, 1);
}

TEST(LoneRelay, SkipsStepsThatRepeatEachOther) {
  const int32_t hops = 64, steps = 2 * (hops - 1), slices = 10;
  LoneRelayPlan plan{{steps, slices, 8, 8}, {hops}, {}, {}, {}, 1e-6};
  for (int32_t hop = 0; hop < hops; ++hop) {
    plan.routes.push_back({{hop, 1}});
    plan.amounts.push_back(1e6);
    plan.capacities.push_back(hop == 5 ? 10e9 : 25e9);
  }
  const LoneRelay relay(plan);
  ASSERT_TRUE(relay.done());
  EXPECT_LT(relay.simulated(), hops * steps * slices / 2);
  // The slow hop is never held up: a latency and ten slices of 100 us for each step.
  EXPECT_NEAR(relay.hops()[5].end, steps * (1e-6 + slices * 1e-4), 1e-9);
  EXPECT_GE(relay.duration(), relay.hops()[5].end);
}

TEST(LoneRelay, IsNeverDoneWhereALinkIsDown) {
  const LoneRelayPlan plan{{2, 1, 1, RelayShape::kUnlimited}, {2}, {{{0, 1}}, {{1, 1}}}, {1e6, 1e6}, {10e9, 0}, 1e-6};
  EXPECT_FALSE(LoneRelay(plan).done());
}

}  // namespace
}  // namespace foreflow::simulate::lone_relay_test
