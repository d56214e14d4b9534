// The default engine against the one that is built from SimGrid's own actors, communications and links.
#include <gtest/gtest.h>

#include "foreflow/simulate/simulate.h"
#include "support/random_streams.h"

namespace foreflow::simulate {
namespace {

using namespace testing_support;

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

TEST(EngineAgreement, OwnModelSharesLinksAsSimGridDoes) {
  for (uint64_t seed = 0; seed < 200; ++seed) expect_agreement(seed, shared_links, {});
}

TEST(EngineAgreement, OwnModelIsSimGridWhereNothingIsShared) {
  for (uint64_t seed = 0; seed < 50; ++seed) expect_agreement(seed, private_links, {});
}

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
        const auto& instance = program.instances[static_cast<size_t>(flow.instance)];
        const Bytes bytes    = program.communications[static_cast<size_t>(instance.communication)].bytes;
        EXPECT_NEAR(moved.value(), bytes.value(), 1e-9 * bytes.value());
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::simulate
