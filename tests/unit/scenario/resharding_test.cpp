#include "foreflow/scenario/resharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/platform/load.h"
#include "foreflow/platform/topologies.h"

namespace foreflow::scenario::resharding_test {
namespace {

using testing::ElementsAre;

platform::Platform machine(const char* topology, int nodes) {
  return platform::make(platform::topologies().get(topology, "test"), nodes);
}

ReshardingRun run(const platform::Platform& platform, std::vector<reshard::Move> moves, const char* strategy,
                  const char* engine = "analytic") {
  return run_resharding(platform, std::move(moves), reshard::strategies().get(strategy, "test"), {},
                        simulate::engines().get(engine, "test"));
}

TEST(Resharding, RowsOfAMeshAreNodesWhereTheyFit) {
  const auto platform = machine("p3_8xlarge", 4);
  EXPECT_THAT(mesh_on(platform, {2, 3}, 1, "test").devices, ElementsAre(4, 5, 6, 8, 9, 10));
  EXPECT_THAT(mesh_on(platform, {6}, 0, "test").devices, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(mesh_on(platform, {2, 2, 2}, 0, "test").devices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(nodes_for({2, 8}, 4), 4);
  EXPECT_THROW(mesh_on(platform, {4, 2}, 1, "test"), Error);
}

TEST(Resharding, RefusesWhatNeedsNothing) {
  const auto platform = machine("p3_8xlarge", 1);
  const reshard::Layout layout{reshard::consecutive({4}, 0), {{{0}}}};
  EXPECT_THROW(run(platform, {{{"", {8}, Bytes(4)}, layout, layout}}, "broadcast"), Error);
}

// Tensor parallelism 2 to 4 inside one node: what devices have stays, and half of the rest moves over NVLink.
TEST(Resharding, WorksInsideOneNode) {
  const auto platform = machine("dgx_a100", 1);
  const reshard::Move move{
      {"", {1 << 20}, Bytes(4)}, {reshard::consecutive({2}, 0), {{{0}}}}, {reshard::consecutive({4}, 2), {{{}}}}};
  const auto done = run(platform, {move}, "broadcast", "simgrid");
  EXPECT_GT(done.lower_bound, Seconds(0));
  EXPECT_GE(done.time, done.lower_bound);
}

reshard::Move columns_to_rows(const reshard::Mesh& from, const char* from_spec, const reshard::Mesh& to,
                              const char* to_spec, int64_t rows) {
  return {{"", {rows, 8192}, Bytes(2)},
          {from, reshard::parse_spec(from_spec, "test")},
          {to, reshard::parse_spec(to_spec, "test")}};
}

// Four devices of a node send to the other four; a second node does the same with the other half of the rows.
TEST(Resharding, CopiesInsideTwoNodesTakeTheTimeOfThoseInsideOne) {
  const reshard::Mesh from{{2, 4}, {0, 1, 2, 3, 8, 9, 10, 11}}, to{{2, 4}, {4, 5, 6, 7, 12, 13, 14, 15}};
  const auto one =
      run(machine("dgx_h100", 1),
          {columns_to_rows(reshard::consecutive({1, 4}, 0), "S1R", reshard::consecutive({1, 4}, 4), "RS1", 4096)},
          "broadcast", "simgrid");
  const auto both = machine("dgx_h100", 2);
  for (const char* strategy : {"broadcast", "forward"}) {
    const auto two = run(both, {columns_to_rows(from, "S01R", to, "S0S1", 8192)}, strategy, "simgrid");
    EXPECT_NEAR(two.time / one.time, 1, 1e-9) << strategy;
    EXPECT_GT(two.lower_bound, Seconds(0)) << strategy;
    EXPECT_LE(two.lower_bound, two.time) << strategy;
    EXPECT_EQ(two.crossing, Bytes(0)) << strategy;
  }
}

// Device 1 of each node receives one box and sends two, so three rounds are the fewest.
TEST(Resharding, DevicesThatSendAndReceiveTakeTurns) {
  const auto platform = machine("dgx_h100", 2);
  const auto mesh     = reshard::consecutive({2, 8}, 0);
  const auto done     = run(platform, {columns_to_rows(mesh, "S1R", mesh, "S01R", 8192)}, "broadcast", "simgrid");
  const auto single   = done.jobs.front().end - done.jobs.front().start;
  EXPECT_NEAR(done.time / single, 3, 1e-9);
  EXPECT_TRUE(done.plan.proven);
  EXPECT_NEAR(done.plan.expected / done.plan.bound, 1, 1e-12);
}

// Each device hands its part to the next: half of them, then the other half.
TEST(Resharding, PartsGoRoundARingOfDevicesInTwoRounds) {
  const auto platform = machine("dgx_h100", 1);
  const reshard::Mesh next{{8}, {1, 2, 3, 4, 5, 6, 7, 0}};
  const auto done =
      run(platform, {columns_to_rows(reshard::consecutive({8}, 0), "S0R", next, "S0R", 8192)}, "broadcast", "simgrid");
  const auto single = done.jobs.front().end - done.jobs.front().start;
  EXPECT_NEAR(done.time / single, 2, 1e-9);
}

TEST(Resharding, HasNoGapWhereNothingBoundsTheTime) {
  ReshardingRun run;
  run.time = Seconds(1);
  EXPECT_EQ(run.gap(), std::nullopt);
  run.lower_bound = Seconds(0.5);
  EXPECT_EQ(run.gap(), 1);
  // Links inside a host are free here, so no order is known to be the best.
  const auto layout = [](int first, const char* spec) {
    return reshard::Layout{reshard::consecutive({2}, first), reshard::parse_spec(spec, "test")};
  };
  const auto units = reshard::unit_tasks({{{"", {4, 4}, Bytes(4)}, layout(0, "S0R"), layout(2, "RS0")}});
  const auto ports = reshard::uniform_ports({{0, 0}, {1, 0}, {2, 0}, {3, 0}}, BytesPerSecond(1));
  for (const reshard::StrategyDef& strategy : reshard::strategies())
    EXPECT_FALSE(strategy.plan(units, ports, {}).proven) << strategy.name;
}

// Two equal tensors take twice as long as one, and their unit tasks share the cards evenly.
TEST(Resharding, PlansSeveralTensorsAtOnce) {
  const auto platform = machine("p3_8xlarge", 4);
  const reshard::Move one{{"", {1024, 1024}, Bytes(4)},
                          {reshard::consecutive({2, 4}, 0), reshard::parse_spec("RR", "test")},
                          {reshard::consecutive({2, 4}, 8), reshard::parse_spec("S0R", "test")}};
  const auto single = run(platform, {one}, "broadcast", "simgrid"),
             both   = run(platform, {one, one}, "broadcast", "simgrid");
  EXPECT_NEAR(both.time / single.time, 2, 0.02);
  EXPECT_TRUE(both.plan.proven);
}

// Engines agree where no link is shared by two jobs at once, which equation 3 of the paper ensures for broadcasts.
TEST(Resharding, EnginesAgreeOnBroadcasts) {
  const auto platform = machine("p3_8xlarge", 4);
  const reshard::Move move{{"", {1024, 1024, 512}, Bytes(4)},
                           {reshard::consecutive({2, 4}, 0), reshard::parse_spec("RS01R", "test")},
                           {reshard::consecutive({2, 4}, 8), reshard::parse_spec("S01RR", "test")}};
  EXPECT_NEAR(run(platform, {move}, "broadcast", "simgrid").time / run(platform, {move}, "broadcast").time, 1, 1e-9);
}

// A boundary of 1,024 devices: 4 x 2048 x 16384 elements in fp16, split over all 512 devices on both sides, but
// differently.
TEST(Resharding, OfAThousandDevicesIsPlanned) {
  const auto platform = machine("dgx_a100", 128);
  const reshard::Move move{{"", {4, 2048, 16384}, Bytes(2)},
                           {reshard::consecutive({64, 8}, 0), reshard::parse_spec("RS0S1", "test")},
                           {reshard::consecutive({32, 16}, 512), reshard::parse_spec("RS0S1", "test")}};
  const auto done = run(platform, {move}, "broadcast");
  EXPECT_EQ(done.units.tasks.size(), 64U * 16U);
  EXPECT_GE(done.time, done.lower_bound);
}

}  // namespace
}  // namespace foreflow::scenario::resharding_test
