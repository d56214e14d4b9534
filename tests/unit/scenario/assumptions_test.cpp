// What a prediction takes for granted is said, unless the scenario has the key.
#include "foreflow/scenario/assumptions.h"

#include <gtest/gtest.h>

namespace foreflow::scenario::assumptions_test {
namespace {

std::vector<std::string> keys_assumed(const std::string& strategy, const std::string& rest = "",
                                      const std::string& work = "") {
  const std::string text = R"({"workload": {"model": "llama", "layers": 4, "hidden": 64, "heads": 4, "sequence": 32,
      "vocabulary": 128, "dtype": "bf16")" +
                           work + R"(}, "platform": {"topology": "dgx_a100"}, "engine": "analytic", "strategy": {)" +
                           strategy + "}" + rest + "}";
  std::vector<std::string> keys;
  for (const Assumption& one : assumptions(load(parse_json(text, "a.json"), "a.json"))) keys.push_back(one.key);
  return keys;
}

using Keys = std::vector<std::string>;

TEST(Assumptions, AreThoseThatMatter) {
  EXPECT_EQ(keys_assumed(R"("dp": 2, "global_batch": 4)"),
            (Keys{"host", "collective.library", "strategy.attention", "strategy.fusion", "workload.float_gradients",
                  "workload.float_logits", "strategy.overlap_gradients", "workload.clip_gradients"}));
  EXPECT_EQ(keys_assumed("", "", R"(, "mode": "inference")"), (Keys{"host", "strategy.attention", "strategy.fusion"}));
}

TEST(Assumptions, LeaveOutKeysThatTheScenarioHas) {
  EXPECT_EQ(keys_assumed(R"("dp": 2, "global_batch": 4, "attention": "unfused", "fusion": true)",
                         R"(, "host": {"kernel": "10us"}, "collective": {"library": "nccl@2.18"})",
                         R"(, "clip_gradients": 1.0, "float_gradients": true, "float_logits": true)"),
            (Keys{"strategy.overlap_gradients"}));
}

}  // namespace
}  // namespace foreflow::scenario::assumptions_test
