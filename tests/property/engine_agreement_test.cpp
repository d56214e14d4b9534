// The default engine against the one that is built from SimGrid's own actors, communications and links.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "support/random_streams.h"

namespace foreflow::simulate::engine_agreement_test {
namespace {

using namespace test;

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-9 * expected.value());
}

void expect_same(const stream::Timeline& actual, const stream::Timeline& expected) {
  expect_near(actual.makespan, expected.makespan);
  ASSERT_EQ(actual.records.size(), expected.records.size());
  for (size_t stream = 0; stream < actual.records.size(); ++stream) {
    ASSERT_EQ(actual.records[stream].size(), expected.records[stream].size());
    for (size_t i = 0; i < actual.records[stream].size(); ++i) {
      expect_near(actual.records[stream][i].start, expected.records[stream][i].start);
      expect_near(actual.records[stream][i].end, expected.records[stream][i].end);
    }
  }
  ASSERT_EQ(actual.flows.size(), expected.flows.size());
  for (size_t i = 0; i < actual.flows.size(); ++i) {
    EXPECT_EQ(actual.flows[i].instance, expected.flows[i].instance);
    EXPECT_EQ(actual.flows[i].phase, expected.flows[i].phase);
    EXPECT_EQ(actual.flows[i].load, expected.flows[i].load);
    expect_near(actual.flows[i].start, expected.flows[i].start);
    expect_near(actual.flows[i].end, expected.flows[i].end);
  }
}

void expect_agreement(uint64_t seed, platform::Platform (*wire)(std::mt19937_64&, int), const Options& options) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 rng(seed);
  const int devices   = draw(rng, 2, 9);
  const auto platform = wire(rng, devices);
  const auto program  = random_streams(rng, devices);
  expect_same(engines().get("simgrid", "test").run(program, platform, options),
              engines().get("simgrid_flows", "test").run(program, platform, options));
}

const Options kCoupled{.coupling = Coupling::coupled, .disturbances = {}};

TEST(EngineAgreement, OwnModelSharesLinksAsSimGridDoes) {
  for (uint64_t seed = 0; seed < 200; ++seed) expect_agreement(seed, shared_links, kCoupled);
}

TEST(EngineAgreement, OwnModelIsSimGridWhereNothingIsShared) {
  for (uint64_t seed = 0; seed < 50; ++seed) expect_agreement(seed, private_links, kCoupled);
}

// The same platform, of which half of the links are fat pipes.
platform::Platform with_fat_pipes(std::mt19937_64& rng, int devices) {
  const platform::Platform shared   = shared_links(rng, devices);
  std::vector<platform::Link> links = shared.links();
  for (platform::Link& link : links) link.fat = draw(rng, 0, 1) == 1;
  return {shared.name(), shared.devices(), std::move(links),
          [shared](int from, int to) { return shared.route(from, to); }};
}

TEST(EngineAgreement, OwnModelLimitsEachMessageByFatPipesAsSimGridDoes) {
  for (uint64_t seed = 0; seed < 100; ++seed) expect_agreement(seed, with_fat_pipes, kCoupled);
}

Disturbances random_disturbances(std::mt19937_64& rng, const platform::Platform& platform) {
  const int devices = static_cast<int>(platform.devices().size()), links = static_cast<int>(platform.links().size());
  const auto time = [&rng](double latest) { return Seconds(draw_real(rng, 0, latest)); };
  Disturbances result;
  for (int i = draw(rng, 0, 2); i > 0; --i) {
    const Seconds from = time(5e-3);
    result.slowdowns.push_back({draw(rng, 0, devices - 1), draw_real(rng, 0.5, 4), from, from + time(5e-3)});
  }
  if (draw(rng, 0, 1) == 1) result.jitter = {0.1, rng()};
  for (int link = 0; link < links; ++link) {
    if (draw(rng, 0, 2) > 0) continue;
    LinkTrace trace{link, {}};
    Seconds at(0);
    for (int i = draw(rng, 1, 4); i > 0; --i) {
      at += time(5e-3) + Seconds(1e-6);
      trace.changes.push_back({at, draw(rng, 0, 3) == 0 ? 0 : draw_real(rng, 0.1, 1.5)});
      if (draw(rng, 0, 1) == 1) trace.changes.back().latency = time(1e-4);
    }
    if (trace.changes.back().factor == 0) trace.changes.push_back({at + Seconds(1e-3), 1});
    result.links.push_back(trace);
  }
  for (int i = draw(rng, 0, 2); i > 0; --i) {
    Background background{0, 1, Bytes(std::floor(draw_real(rng, 1e4, 1e7)))};
    if (draw(rng, 0, 1) == 1) std::swap(background.from, background.to);
    if (draw(rng, 0, 1) == 1) background.limit = BytesPerSecond(draw_real(rng, 1e8, 1e10));
    background.first  = time(5e-3);
    background.period = draw(rng, 0, 1) * (time(5e-3) + Seconds(1e-3));
    background.until  = Seconds(20e-3);
    result.background.push_back(background);
  }
  return result;
}

void expect_disturbances_do_the_same(platform::Platform (*wire)(std::mt19937_64&, int)) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int devices    = draw(rng, 2, 7);
    const auto platform  = wire(rng, devices);
    const auto program   = random_streams(rng, devices);
    Options options      = kCoupled;
    options.disturbances = random_disturbances(rng, platform);
    expect_same(engines().get("simgrid", "test").run(program, platform, options),
                engines().get("simgrid_flows", "test").run(program, platform, options));
  }
}

TEST(EngineAgreement, DisturbancesDoTheSameToBoth) { expect_disturbances_do_the_same(shared_links); }

TEST(EngineAgreement, FatPipesThatChangeDoTheSameToBoth) { expect_disturbances_do_the_same(with_fat_pipes); }

TEST(EngineAgreement, PacesAddUpToTheBytesOfTheirFlows) {
  Options options;
  options.observe = true;
  for (const std::string engine : {"analytic", "simgrid"}) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      SCOPED_TRACE(engine + ", seed " + std::to_string(seed));
      std::mt19937_64 rng(seed);
      const int devices   = draw(rng, 2, 9);
      const auto platform = shared_links(rng, devices);
      const auto program  = random_streams(rng, devices);
      const auto timeline = engines().get(engine, "test").run(program, platform, options);
      ASSERT_EQ(timeline.paces.size(), timeline.flows.size());
      for (size_t i = 0; i < timeline.flows.size(); ++i) {
        const stream::Flow& flow = timeline.flows[i];
        const auto& paces        = timeline.paces[i];
        Bytes moved(0);
        for (size_t k = 0; k < paces.size(); ++k)
          moved += paces[k].rate * ((k + 1 < paces.size() ? paces[k + 1].from : flow.end) - paces[k].from);
        const auto& instance = nth(program.instances, flow.instance);
        const Bytes bytes    = nth(program.communications, instance.communication).bytes;
        EXPECT_NEAR(moved.value(), bytes.value(), 1e-9 * bytes.value());
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::simulate::engine_agreement_test
