// Flow simulations against times that were calculated independently with exact rational arithmetic: nine cases, five
// ways to communicate, and the table of Figure 5. Cards of 10 Gb/s are the only limit there, so devices here have links
// to their node that take no time; on a p3.8xlarge, whose NVLink and PCIe do, it must be little more.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "foreflow/platform/load.h"
#include "foreflow/platform/topologies.h"
#include "foreflow/reshard/volume.h"
#include "foreflow/scenario/resharding.h"
#include "support/reshard_cases.h"

namespace foreflow::scenario::reshard_oracles_test {
namespace {

using test::ReshardCase;

constexpr int kNodeSize = 4;
constexpr int kChunks   = 1000;  // the exact times have infinitely many

// Per node a card with links 2n (up) and 2n + 1 (down); per device a port without delay in each direction.
platform::Platform ideal_nodes(int nodes) {
  std::vector<platform::Device> devices;
  std::vector<platform::Link> links;
  for (int node = 0; node < nodes; ++node) {
    for (const char* side : {"_UP", "_DOWN"})
      links.push_back({"card" + std::to_string(node) + side, "nic", BytesPerSecond(1.25e9), Seconds(0)});
  }
  for (int device = 0; device < nodes * kNodeSize; ++device) {
    devices.push_back({"gpu" + std::to_string(device),
                       "test",
                       "node" + std::to_string(device / kNodeSize),
                       Bytes(1e9),
                       BytesPerSecond(1e12),
                       {{"f32", FlopsPerSecond(1e12)}},
                       Seconds(0)});
    for (const char* side : {"_UP", "_DOWN"})
      links.push_back({devices.back().name + side, "nvlink", BytesPerSecond(1e15), Seconds(0)});
  }
  const auto route = [nodes](int from, int to) -> platform::Route {
    if (from == to) return {};
    const int up = 2 * nodes + 2 * from, down = 2 * nodes + 2 * to + 1;
    if (from / kNodeSize == to / kNodeSize) return {{up, down}, Seconds(0)};
    return {{up, 2 * (from / kNodeSize), 2 * (to / kNodeSize) + 1, down}, Seconds(0)};
  };
  return {"ideal", devices, links, route};
}

int nodes_of(const reshard::Move& move) { return move.from.mesh.shape[0] + move.to.mesh.shape[0]; }

ReshardingRun run(const platform::Platform& platform, const reshard::Move& move, const char* strategy,
                  const char* balance = "ensemble", int chunks = kChunks) {
  reshard::PlanOptions options;
  options.balance = &reshard::balances().get(balance, "test");
  options.chunks  = chunks;
  return run_resharding(platform, {move}, reshard::strategies().get(strategy, "test"), options,
                        simulate::engines().get("simgrid", "test"));
}

// The end of the last message, before all-gathers.
Seconds sends_end(const ReshardingRun& run) {
  Seconds end;
  for (size_t i = 0; i < run.jobs.size(); ++i) {
    if (run.plan.jobs[i].kind != collective::Kind::all_gather) end = std::max(end, run.jobs[i].end);
  }
  return end;
}

// The load of the busiest card if all messages ran at once.
Seconds busiest_card(const ReshardingRun& run) {
  std::map<std::pair<int, bool>, Bytes> load;
  for (const reshard::Job& job : run.plan.jobs) {
    if (job.kind != collective::Kind::send) continue;
    load[{run.ports.port(job.devices[0]), false}] += job.bytes;
    load[{run.ports.port(job.devices[1]), true}] += job.bytes;
  }
  Seconds most;
  for (const auto& [port, bytes] : load) most = std::max(most, bytes / BytesPerSecond(1.25e9));
  return most;
}

class NineCases : public testing::TestWithParam<int> {
 protected:
  NineCases() : case_(test::reshard_cases().at(static_cast<size_t>(GetParam()))) {}

  // Within 1 %, as a share of the time to send the tensor once.
  void expect(Seconds ours, const char* column) const {
    EXPECT_NEAR(ours / case_.t, case_.expected(column) / case_.t, 0.01 * (case_.expected(column) / case_.t) + 1e-6)
        << case_.name << " " << column;
  }

  ReshardCase case_;
};

TEST_P(NineCases, TakeTheExactTimesWhereCardsAreTheOnlyLimit) {
  const auto platform = ideal_nodes(nodes_of(case_.move));
  const auto ours     = run(platform, case_.move, "broadcast");
  expect(ours.lower_bound, "lower_bound");
  expect(ours.time, "ours");
  expect(run(platform, case_.move, "broadcast", "load_balance").time, "load_balance_only");
  expect(run(platform, case_.move, "broadcast", "naive").time, "naive");
  const auto direct = run(platform, case_.move, "send_recv");
  expect(direct.time, "send_recv_fifo");
  expect(busiest_card(direct), "send_recv_nic_bound");
  const auto alpa = run(platform, case_.move, "alpa");
  expect(sends_end(alpa), "alpa_send_phase_fifo");
  expect(busiest_card(alpa), "alpa_send_phase_nic");
  expect(alpa.time - sends_end(alpa), "alpa_allgather");
}

// NVLink of 100 GB/s is 80 times as fast as the card, and latencies are microseconds. The number of chunks is chosen.
TEST_P(NineCases, TakeLittleMoreOnNodesWithNvlink) {
  const auto platform = platform::make(platform::topologies().get("p3_8xlarge", "test"), nodes_of(case_.move));
  for (const auto& [strategy, column] : {std::pair("broadcast", "ours"), std::pair("send_recv", "send_recv_fifo")}) {
    const double share = run(platform, case_.move, strategy, "ensemble", 0).time / case_.expected(column);
    EXPECT_GT(share, 0.999) << case_.name << " " << strategy;
    EXPECT_LT(share, 1.02) << case_.name << " " << strategy;
  }
}

// What the plan counts as crossing is what the cards carry: each byte leaves one and enters another.
TEST_P(NineCases, CarryOverTheCardsWhatThePlanCounts) {
  const auto platform = platform::make(platform::topologies().get("p3_8xlarge", "test"), nodes_of(case_.move));
  for (const reshard::StrategyDef& strategy : reshard::strategies()) {
    const auto done = run(platform, case_.move, std::string(strategy.name).c_str());
    Bytes carried;
    for (size_t link = 0; link < done.timeline.links.size(); ++link) {
      if (platform.links().like(link).kind == "nic") carried += done.timeline.links[link].bytes;
    }
    EXPECT_NEAR(carried / (2 * done.crossing), 1, 1e-6) << case_.name << " " << strategy.name;
    if (!strategy.moves_data) continue;
    EXPECT_GE(done.crossing.value(), reshard::least_crossing(done.units, done.ports).value() * (1 - 1e-9))
        << case_.name << " " << strategy.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Reshard, NineCases, testing::Range(0, 9),
                         [](const auto& info) { return "case" + std::to_string(info.param + 1); });

// Figure 5: 1 GiB from one device to A hosts of B devices, in units of the time to send it once. Formulas: send/recv
// A B; broadcast 1 (with K chunks (K + A - 1) / K); Alpa gathers parts where A B divides the 2^28 elements.
struct Multicast {
  int hosts, devices;
  double alpa;
};

TEST(Reshard, MulticastTakesTheExactTimesOfFigureFive) {
  const Seconds once = Bytes(0x1p30) / BytesPerSecond(1.25e9);
  // 3 receivers: whole copies; 6: halves, each to three, then an all-gather of pairs in different hosts.
  for (const Multicast& one : {Multicast{1, 1, 1}, Multicast{1, 2, 1}, Multicast{1, 3, 3}, Multicast{1, 4, 1},
                               Multicast{2, 2, 1 + 3.0 / 4}, Multicast{3, 2, 3 + 1}, Multicast{4, 2, 1 + 7.0 / 8}}) {
    const auto platform = ideal_nodes(1 + one.hosts);
    reshard::Move move{{"", {int64_t{1} << 28}, Bytes(4)}, {reshard::consecutive({1, 1}, 0), {{{}}}}, {}};
    move.to          = {mesh_on(platform, {one.hosts, one.devices}, 1, "test"), {{{}}}};
    const auto where = std::to_string(one.hosts) + " x " + std::to_string(one.devices);
    EXPECT_NEAR(run(platform, move, "send_recv").time / once, one.hosts * one.devices, 0.01) << where;
    EXPECT_NEAR(run(platform, move, "alpa").time / once, one.alpa, 0.01 * one.alpa) << where;
    EXPECT_NEAR(run(platform, move, "broadcast").time / once, 1, 0.01) << where;
    EXPECT_NEAR(run(platform, move, "local_allgather").time / once, one.hosts, 0.01 * one.hosts) << where;
    const double receivers = one.hosts * one.devices;
    const double gather    = one.hosts > 1 ? (receivers - 1) / receivers : 0;
    EXPECT_NEAR(run(platform, move, "global_allgather").time / once, 1 + gather, 0.02) << where;
  }
}

// One device sends to many: it takes a latency for each receiver, and a chain of few chunks through all of them less.
TEST(Reshard, TheSignalTakesTheLatenciesOfItsMessagesInTurn) {
  const auto platform = platform::make(platform::topologies().get("dgx_a100", "test"), 4);
  const auto move     = [&](int receivers) {
    return reshard::Move{
        {"", {64}, Bytes(2)}, {reshard::consecutive({1}, 0), {{{}}}}, {reshard::consecutive({receivers}, 8), {{{}}}}};
  };
  const Seconds one = run(platform, move(1), "signal").time, all = run(platform, move(24), "signal").time;
  EXPECT_NEAR(all / one, 24, 0.01);
  EXPECT_LT(run(platform, move(24), "broadcast", "ensemble", 0).time, all);
}

// A single byte takes the latencies alone, which is less where data decides.
TEST(Reshard, TheSignalIsFasterThanEveryStrategy) {
  const ReshardCase one   = test::reshard_cases().front();
  const auto platform     = platform::make(platform::topologies().get("p3_8xlarge", "test"), nodes_of(one.move));
  const Seconds signalled = run(platform, one.move, "signal").time;
  for (const reshard::StrategyDef& strategy : reshard::strategies()) {
    if (!strategy.moves_data) continue;
    EXPECT_LT(signalled, run(platform, one.move, std::string(strategy.name).c_str()).time);
  }
}

}  // namespace
}  // namespace foreflow::scenario::reshard_oracles_test
