// Programs that hosts issue: all engines and folding agree, and a compute is what its kernels are one by one.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/host_times.h"
#include "support/machine.h"
#include "support/random_streams.h"

namespace foreflow::simulate::host_property_test {
namespace {

using namespace test;

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-9 * expected.value());
}

void expect_same_records(const stream::Timeline& actual, const stream::Timeline& expected) {
  expect_near(actual.makespan, expected.makespan);
  ASSERT_EQ(actual.records.size(), expected.records.size());
  for (size_t stream = 0; stream < actual.records.size(); ++stream) {
    ASSERT_EQ(actual.records[stream].size(), expected.records[stream].size());
    for (size_t i = 0; i < actual.records[stream].size(); ++i) {
      expect_near(actual.records[stream][i].start, expected.records[stream][i].start);
      expect_near(actual.records[stream][i].end, expected.records[stream][i].end);
    }
  }
}

void expect_agreement(uint64_t seed, platform::Platform (*wire)(std::mt19937_64&, int), const char* one,
                      const char* other, const Options& options) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 rng(seed);
  const int devices   = draw(rng, 2, 9);
  const auto platform = wire(rng, devices);
  auto program        = random_streams(rng, devices);
  add_hosts(rng, program);
  expect_same_records(engines().get(one, "test").run(program, platform, options),
                      engines().get(other, "test").run(program, platform, options));
}

TEST(Host, BothContentionEnginesAgree) {
  for (uint64_t seed = 0; seed < 200; ++seed)
    expect_agreement(seed, shared_links, "simgrid", "simgrid_flows",
                     {.coupling = Coupling::coupled, .disturbances = {}});
}

TEST(Host, AnalyticAgreesWhereNothingIsShared) {
  for (uint64_t seed = 0; seed < 100; ++seed)
    expect_agreement(seed, private_links, "analytic", "simgrid_flows",
                     {.coupling = Coupling::automatic, .disturbances = {}});
}

TEST(Host, EnginesAgreeWithSlowDevices) {
  Options options{.coupling = Coupling::coupled, .disturbances = {}};
  options.disturbances.slowdowns = {{0, 2, Seconds(1e-3), Seconds(4e-3)}, {1, 1.5}};
  for (uint64_t seed = 0; seed < 50; ++seed) expect_agreement(seed, shared_links, "simgrid", "simgrid_flows", options);
}

TEST(Host, ACostOfZeroChangesNothing) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 rng(seed);
    const auto platform         = shared_links(rng, 4);
    const stream::Program plain = random_streams(rng, 4);
    stream::Program issued      = plain;
    // The first compute is never reached; it only switches the hosts on.
    issued.computes.push_back({"Work", Seconds(1), Flops(0), {}, {{}, Seconds(1), {}, {}, false}});
    ASSERT_TRUE(stream::has_hosts(issued));
    const EngineDef& engine = engines().get("simgrid", "test");
    const auto with = engine.run(issued, platform), without = engine.run(plain, platform);
    for (size_t s = 0; s < with.records.size(); ++s) {
      for (size_t i = 0; i < with.records[s].size(); ++i) {
        EXPECT_EQ(with.records[s][i].start, without.records[s][i].start);
        EXPECT_EQ(with.records[s][i].end, without.records[s][i].end);
      }
    }
  }
}

struct Kernel {
  Seconds cost, duration;
};

TEST(Host, AComputeEndsAsItsKernelsDoOneByOne) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    ProgramWriter whole(1), parts(1);
    double free = 0, host = 0;  // kernel by kernel, by hand
    for (int item = draw(rng, 1, 8); item > 0; --item) {
      stream::Issue issue;
      Seconds duration;
      double first = -1;
      for (int group = draw(rng, 1, 5); group > 0; --group) {
        const int count = draw(rng, 1, 6);
        const Kernel kernel{Seconds(draw_real(rng, 0, 1e-5)), Seconds(draw_real(rng, 1e-8, 1e-5))};
        issue.add_kernels(count, kernel.cost, count * kernel.duration);
        duration += count * kernel.duration;
        for (int i = 0; i < count; ++i) {
          host += kernel.cost.value();
          const double start = std::max(free, host);
          if (first < 0) first = start;
          free = start + kernel.duration.value();
        }
      }
      whole.compute(0, duration);
      whole.program().computes.back().issue = issue;
      const auto timeline = engines().get("analytic", "test").run(whole.program(), star(1, BytesPerSecond(1e9), {}));
      EXPECT_NEAR(timeline.records[0].back().start.value(), first, 1e-15);
      EXPECT_NEAR(timeline.records[0].back().end.value(), free, 1e-15);
    }
  }
}

// What is simulated of many microbatches gives the times of all of them, whoever is behind: the device, the host, or
// both in turn.
TEST(Host, AFewMicrobatchesTellAll) {
  const char* const kStrategies[] = {
      R"({"pp": 1, "microbatches": 60, "global_batch": 60})",
      R"({"pp": 2, "tp": 2, "microbatches": 60, "global_batch": 60, "overlap_sends": false})",
      R"({"pp": 4, "dp": 2, "microbatches": 60, "global_batch": 120})",
  };
  for (const char* strategy : kStrategies) {
    for (const char* kernel : {"0.1us", "3us", "40us"}) {
      for (const char* waits : {"false", "true"}) {
        SCOPED_TRACE(std::string(strategy) + kernel + waits);
        const std::string text =
            std::string(R"({"workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 4, "vocabulary": 512,
              "sequence": 256, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
              "platform": {"topology": "dgx_a100", "nodes": 1}, "engine": "simgrid", "strategy": )") +
            strategy + R"(, "host": {"kernel": ")" + kernel +
            R"(", "collective": "20us", "message": "20us", "microbatch": "1ms", "step": "2ms", "wait_for_messages": )" +
            waits + R"(, "wait_for_gradients": )" + waits + "}}";
        scenario::Scenario scenario     = scenario::load(parse_json(text, "host.json"), "host.json");
        const auto few                  = scenario::run(scenario).summary;
        scenario.simulation.every_round = true;
        const auto all                  = scenario::run(scenario).summary;
        expect_near(few.iteration_time, all.iteration_time);
        ASSERT_EQ(few.devices.size(), all.devices.size());
        for (size_t d = 0; d < few.devices.size(); ++d) {
          const Seconds one = few.devices[d].host_idle + few.devices[d].host_inside,
                        two = all.devices[d].host_idle + all.devices[d].host_inside;
          EXPECT_NEAR(one.value(), two.value(), 1e-8 * all.iteration_time.value());
        }
        scenario.simulation.fold = false;
        expect_near(scenario::run(scenario).summary.iteration_time, all.iteration_time);
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::simulate::host_property_test
