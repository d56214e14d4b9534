// Random programs: the engines agree where nothing is shared; where links are shared, SimGrid shares them as a direct
// calculation of weighted max-min fair rates does, and never ends anything earlier than the network without contention.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/task.h"
#include "support/machine.h"
#include "support/random_streams.h"

namespace foreflow::simulate::engines_test {
namespace {

using collective::Kind;
using namespace test;

stream::Timeline run(std::string_view engine, const stream::Program& program, const platform::Platform& platform) {
  Options options;
  options.coupling = Coupling::coupled;
  return engines().get(engine, "test").run(program, platform, options);
}

// Calls check(analytic, simgrid) for every record.
template <class Check>
void for_all_records(const stream::Program& program, const platform::Platform& platform, const Check& check) {
  const auto alone = run("analytic", program, platform), shared = run("simgrid", program, platform);
  ASSERT_EQ(alone.records.size(), shared.records.size());
  for (size_t stream = 0; stream < alone.records.size(); ++stream) {
    ASSERT_EQ(alone.records[stream].size(), shared.records[stream].size());
    for (size_t i = 0; i < alone.records[stream].size(); ++i)
      check(alone.records[stream][i], shared.records[stream][i]);
  }
  ASSERT_EQ(alone.links.size(), shared.links.size());
  for (size_t link = 0; link < alone.links.size(); ++link) EXPECT_EQ(alone.links[link].bytes, shared.links[link].bytes);
}

TEST(Engines, AgreeWhereNothingIsShared) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int devices   = draw(rng, 2, 9);
    const auto platform = private_links(rng, devices);
    for_all_records(random_streams(rng, devices), platform,
                    [](const stream::Record& alone, const stream::Record& shared) {
                      EXPECT_NEAR(shared.start.value(), alone.start.value(), 1e-9 * alone.start.value());
                      EXPECT_NEAR(shared.end.value(), alone.end.value(), 1e-9 * alone.end.value());
                    });
  }
}

TEST(Engines, AgreeOnOneCollectiveAfterTheOtherOnEveryTopology) {
  for (const platform::TopologyDef& topology : platform::topologies()) {
    SCOPED_TRACE(topology.name);
    const auto platform = platform::make(topology, 2);
    const int devices   = static_cast<int>(platform.devices().size());
    ProgramWriter writer(devices);
    std::vector<int> all;
    for (int i = 0; i < devices; ++i) all.push_back(i);
    for (int kind = 0; kind < collective::kKinds; ++kind) {
      const bool pair = static_cast<Kind>(kind) == Kind::send;
      writer.communicate(static_cast<Kind>(kind), pair ? std::vector{0, devices - 1} : all, Bytes(123456789));
    }
    for_all_records(writer.program(), platform, [](const stream::Record& alone, const stream::Record& shared) {
      EXPECT_NEAR(shared.end.value(), alone.end.value(), 1e-9 * alone.end.value());
    });
  }
}

TEST(Engines, ContentionNeverMakesAnythingEarlier) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int devices   = draw(rng, 2, 9);
    const auto platform = shared_links(rng, devices);
    for_all_records(random_streams(rng, devices), platform,
                    [](const stream::Record& alone, const stream::Record& shared) {
                      EXPECT_GE(shared.start.value(), alone.start.value() * (1 - 1e-9));
                      EXPECT_GE(shared.end.value(), alone.end.value() * (1 - 1e-9));
                    });
  }
}

// A flow as the calculation below sees it. All shares of our collectives are equal, so a message is a unit flow.
struct FluidFlow {
  double start, left;           // left: of the bytes of one message
  std::map<int, int> messages;  // how many cross each link
  double end = -1;
};

// Rates of the flows that run: repeatedly the link that allows its messages the least fixes all flows on it.
std::map<FluidFlow*, double> fair_rates(const std::vector<FluidFlow*>& running, const platform::Platform& platform) {
  std::map<FluidFlow*, double> rates;
  while (rates.size() < running.size()) {
    double least = std::numeric_limits<double>::infinity();
    int tightest = -1;
    for (size_t link = 0; link < platform.links().size(); ++link) {
      double room = platform.links()[link].bandwidth.value(), messages = 0;
      for (FluidFlow* flow : running) {
        const auto found = flow->messages.find(static_cast<int>(link));
        if (found == flow->messages.end()) continue;
        if (rates.contains(flow)) {
          room -= found->second * rates[flow];
        } else {
          messages += found->second;
        }
      }
      if (messages == 0 || room / messages >= least) continue;
      least    = room / messages;
      tightest = static_cast<int>(link);
    }
    for (FluidFlow* flow : running) {
      if (!rates.contains(flow) && flow->messages.contains(tightest)) rates[flow] = least;
    }
  }
  return rates;
}

void play_fluid(std::vector<FluidFlow>& flows, const platform::Platform& platform) {
  double now = 0;
  for (;;) {
    std::vector<FluidFlow*> running;
    double next = std::numeric_limits<double>::infinity();
    for (FluidFlow& flow : flows) {
      if (flow.end < 0 && flow.start <= now) running.push_back(&flow);
      if (flow.start > now) next = std::min(next, flow.start);
    }
    const auto rates = fair_rates(running, platform);
    for (const auto& [flow, rate] : rates) next = std::min(next, now + flow->left / rate);
    if (next == std::numeric_limits<double>::infinity()) return;
    for (const auto& [flow, rate] : rates) {
      if (now + flow->left / rate <= next * (1 + 1e-14)) flow->end = next;
      flow->left -= rate * (next - now);
    }
    now = next;
  }
}

// A message: all flows are whole numbers of it.
double common_share(const std::vector<collective::Flow>& flows) {
  double least = flows.front().share;
  for (const auto& flow : flows) least = std::min(least, flow.share);
  for (int parts = 1;; ++parts) {
    const double unit = least / parts;
    const bool whole  = std::all_of(flows.begin(), flows.end(), [&](const auto& flow) {
      return std::abs(flow.share / unit - std::round(flow.share / unit)) < 1e-9;
    });
    if (whole) return unit;
  }
}

// What a flow over `places` asks of the links, worked out afresh from the algorithm and the routes.
FluidFlow fluid_flow(double ready, Kind kind, Bytes bytes, const std::vector<int>& places,
                     const platform::Platform& platform) {
  // Every default algorithm is a single phase; all devices are in one node.
  const auto& algorithm = collective::default_algorithm(kind);
  const auto plan       = algorithm.flows(stream::place(platform, algorithm, kind, bytes, places).task).phases.front();
  const double unit     = common_share(plan.flows);
  FluidFlow result{ready, bytes.value() * unit, {}};
  double latency = 0, hops = 0, slowest = 0;
  for (const collective::Flow& flow : plan.flows) {
    const auto route = platform.route(nth(places, flow.from), nth(places, flow.to));
    double hop       = 0;
    for (const int link : route.links) {
      result.messages[link] += static_cast<int>(std::lround(flow.share / unit));
      hop = std::max(hop, (bytes / nth(platform.links(), link).bandwidth).value());
    }
    latency = std::max(latency, route.latency.value());
    hops += hop;
    slowest = std::max(slowest, hop);
  }
  result.start += plan.near_steps * latency + plan.head * (hops - slowest);
  return result;
}

TEST(Engines, SimGridSharesLinksAsWeightedMaxMinFairnessDoes) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int devices   = draw(rng, 2, 8);
    const auto platform = shared_links(rng, devices);
    ProgramWriter writer(devices);
    std::vector<int> all, leaders;
    for (int i = 0; i < devices; ++i) all.push_back(i);
    std::vector<FluidFlow> flows;
    for (int i = draw(rng, 1, 12); i > 0; --i) {
      const Kind kind    = draw_kind(rng);
      const auto places  = draw_members(rng, all, kind == Kind::send ? 2 : draw(rng, 2, devices));
      const double ready = draw(rng, 0, 3) * draw_real(rng, 0, 1e-3);
      const Bytes bytes(std::floor(draw_real(rng, 1e5, 1e7)));
      std::vector<int> members;
      for (const int place : places) members.push_back(writer.stream(place));
      writer.compute(members.front(), Seconds(ready)).communicate(kind, members, bytes);
      leaders.push_back(members.front());
      flows.push_back(fluid_flow(ready, kind, bytes, places, platform));
    }
    const auto timeline = run("simgrid", writer.program(), platform);
    play_fluid(flows, platform);
    for (size_t i = 0; i < flows.size(); ++i) {
      const double end = nth(timeline.records, leaders[i]).back().end.value();
      EXPECT_NEAR(end, flows[i].end, 1e-9 * flows[i].end) << "communication " << i;
    }
  }
}

}  // namespace
}  // namespace foreflow::simulate::engines_test
