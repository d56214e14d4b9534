// Scenarios that ship on platforms of unequal machines, by the command.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"
#include "support/command.h"

namespace foreflow::scenario::mixed_platforms_test {
namespace {

const std::string kRoot = FOREFLOW_SOURCE_DIR;

double iteration_time(const std::string& scenario, const std::vector<std::string>& settings) {
  std::vector<std::string> words = {"simulate", kRoot + "/scenarios/" + scenario, "--json", "-"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const test::CommandResult result = test::run_foreflow(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return JsonView(parse_json(result.out, scenario), "result").at("iteration_time_s").as_number();
}

TEST(TwoSites, SendEverythingBetweenThemOverTheLine) {
  const platform::Platform sites = platform::load_file(kRoot + "/platforms/two_sites.xml");
  ASSERT_EQ(sites.devices().size(), 7u);
  for (int from = 0; from < 7; ++from) {
    for (int to = 0; to < 7; ++to) {
      bool crosses = false;
      for (const int link : sites.route(from, to).links) crosses = crosses || nth(sites.links(), link).kind == "wan";
      EXPECT_EQ(crosses, (from < 4) != (to < 4)) << from << " to " << to;
    }
  }
}

// The two leaders' ring all-reduce moves the gradient once over the line each way; nothing else crosses it. With ten
// times the bandwidth (no more than the NIC in the east has) nine tenths of that time are saved.
TEST(TwoSites, WaitForTheGradientOfTheLeaders) {
  constexpr double kGradient = 4.0 * 1024 * 1024, kLine = 1.25e9;
  const std::string scenario = "unequal_groups_two_sites.json";
  const double narrow        = iteration_time(scenario, {});
  EXPECT_GT(narrow, kGradient / kLine + 2 * 5e-3);
  EXPECT_NEAR(narrow - iteration_time(scenario, {"platform.links.wan.bandwidth=12.5GBps"}), 0.9 * kGradient / kLine,
              1e-9);
}

// Stages of unequal devices want unequal shares: 8 A100 do 2.5 times the work of 8 V100 at their peaks.
TEST(MixedGpus, AreFasterWithUnequalStages) {
  const std::string scenario = "gpt_mixed.json";
  const double shipped       = iteration_time(scenario, {});
  for (const std::string shares : {"16:16", "17:15", "19:13", "24:8"})
    EXPECT_LT(shipped, iteration_time(scenario, {"strategy.stage_shares=" + shares})) << shares;
}

// The servers differ in nothing but memory: 150 MB hold less than half of the model. The larger devices take the rest.
TEST(MixedMemory, GivesEveryStageWhatItsOwnDevicesHold) {
  const Bytes small(150e6);
  const std::string parts[] = {R"({"topology": "dgx_h100", "nodes": 1, "device": {"memory": "150MB"}})",
                               R"({"topology": "dgx_h100", "nodes": 1})"};
  for (const bool small_first : {true, false}) {
    const std::string text = R"({"workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 16,
        "sequence": 512, "vocabulary": 2048}, "platform": {"parts": [)" +
                             parts[small_first ? 0 : 1] + ", " + parts[small_first ? 1 : 0] +
                             R"(]}, "strategy": {"tp": 8, "pp": 2, "microbatch_size": 1, "global_batch": 8}})";
    Bytes fullest(0);
    for (const report::DeviceSummary& device : run(load(parse_json(text, "test"), "test")).summary.devices) {
      EXPECT_TRUE(device.fits) << device.name << " needs " << device.peak_memory.value();
      fullest = std::max(fullest, device.peak_memory);
    }
    EXPECT_GT(fullest, small) << small_first;
  }
}

// An A100 computes slower than an H100, but waits for all-reduces as long: 28 layers of 32 before it are best.
TEST(MixedSpeeds, DivideOnlyComputesAmongStages) {
  const auto time = [](const std::string& setting) {
    const std::string text = R"({"workload": {"model": "llama3-8b", "sequence": 4096, "dtype": "bf16"},
        "platform": {"parts": [{"topology": "dgx_h100", "nodes": 1}, {"topology": "dgx_a100", "nodes": 1}]},
        "strategy": {"tp": 8, "pp": 2, "microbatch_size": 1, "global_batch": 32)" +
                             setting + R"(}, "cost": {"model": "roofline"}})";
    return run(load(parse_json(text, "test"), "test")).summary.iteration_time;
  };
  const Seconds balanced = time("");
  for (const std::string layers : {"27", "28", "29"})
    EXPECT_LE(balanced, 1.001 * time(R"(, "first_stage_layers": )" + layers)) << layers;
}

}  // namespace
}  // namespace foreflow::scenario::mixed_platforms_test
