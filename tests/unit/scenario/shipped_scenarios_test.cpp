// Every scenario that ships loads and runs, by the command.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/scenario.h"
#include "support/command.h"

namespace foreflow::scenario::shipped_scenarios_test {
namespace {

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FOREFLOW_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Iterations of thousands of devices are for bench/; here they run with fewer servers, replicas and microbatches.
std::vector<std::string> shrunk(const std::string& name) {
  if (name == "gpt3_175b_1024_unequal")
    return {"--set", "strategy.dp=2", "--set", "strategy.global_batch=48", "--set", "platform.nodes=16"};
  if (name.find("_3072_") == std::string::npos) return {};
  return {"--set", "platform.nodes=16",
          "--set", "strategy.dp=2",
          "--set", "strategy.pp=8",
          "--set", "strategy.microbatches=8",
          "--set", "strategy.global_batch=16",
          "--set", "workload.layers=16"};
}

std::string path_of(const std::string& name) { return FOREFLOW_SOURCE_DIR "/scenarios/" + name + ".json"; }

class ShippedScenarios : public testing::TestWithParam<std::string> {};

TEST_P(ShippedScenarios, GiveAPositiveTimeAndFit) {
  std::vector<std::string> words         = {"simulate", path_of(GetParam()), "--engine", "analytic", "--json", "-"};
  const std::vector<std::string> smaller = shrunk(GetParam());
  words.insert(words.end(), smaller.begin(), smaller.end());
  const test::CommandResult result = test::run_foreflow(words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, GetParam());
  EXPECT_GT(JsonView(json, "result").at("iteration_time_s").as_number(), 0);
  EXPECT_GT(JsonView(json, "result").at("mfu").as_number(), 0);
  EXPECT_LT(JsonView(json, "result").at("mfu").as_number(), 1);
  EXPECT_TRUE(JsonView(json, "result").at("fits").as_bool());
}

TEST_P(ShippedScenarios, Load) { EXPECT_FALSE(load_file(path_of(GetParam())).name.empty()); }

TEST_P(ShippedScenarios, StandInTheReadme) {
  EXPECT_NE(read_file(FOREFLOW_SOURCE_DIR "/scenarios/README.md").find(GetParam() + ".json"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Every, ShippedScenarios, testing::ValuesIn(shipped()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::scenario::shipped_scenarios_test
