// Which keys a scenario states.
#include "foreflow/scenario/stated_keys.h"

#include <gtest/gtest.h>

#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario::stated_keys_test {
namespace {

TEST(StatedKeys, AreMembersAndTheKeysOfObjectsInTheOrderOfTheText) {
  const Scenario scenario = load(parse_json(R"({
    "platform": {"topology": "dgx_a100"}, "placement": "packed", "engine": "analytic",
    "strategy": {"tp": 2, "global_batch": 4}, "workload": {"model": "gpt2-124m", "layers": 2}})",
                                            "s.json"),
                                 "s.json");
  EXPECT_EQ(scenario.stated.of("strategy"), (std::vector<std::string>{"tp", "global_batch"}));
  EXPECT_TRUE(scenario.stated.has("placement"));
  EXPECT_TRUE(scenario.stated.of("placement").empty()) << "a word has no keys";
  EXPECT_TRUE(scenario.stated.has("workload.hidden")) << "the preset states it";
  EXPECT_FALSE(scenario.stated.has("workload.dtype"));
  EXPECT_EQ(scenario.where("strategy.tp"), "s.json: $.strategy.tp");
}

TEST(StatedKeys, OfAJobAreItsOwn) {
  const Scenario scenario = load(parse_json(R"({
    "platform": {"topology": "dgx_a100"}, "engine": "analytic", "workload": {"model": "gpt2-124m"},
    "jobs": [{}, {"strategy": {"tp": 2}}]})",
                                            "s.json"),
                                 "s.json");
  EXPECT_FALSE(scenario.jobs[0].scenario.stated.has("strategy.tp"));
  EXPECT_TRUE(scenario.jobs[0].scenario.stated.has("workload.model")) << "it inherits the workload";
  EXPECT_TRUE(scenario.jobs[1].scenario.stated.has("strategy.tp"));
  EXPECT_EQ(scenario.jobs[1].scenario.where("strategy.tp"), "s.json: $.jobs[1].strategy.tp");
}

}  // namespace
}  // namespace foreflow::scenario::stated_keys_test
