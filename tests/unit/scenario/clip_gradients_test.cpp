// The sum of the squares of gradients in scenarios: how many bytes it has, who shares it, and what it costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "foreflow/scenario/idle.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::clip_gradients_test {
namespace {

Scenario loaded(const std::string& strategy, const std::string& workload, const std::string& rest = "") {
  return load(parse_json(R"({"workload": {"model": "gpt", "layers": 8, "hidden": 64, "heads": 8, "sequence": 32,
      "vocabulary": 128, "dtype": "bf16")" +
                             workload + R"(}, "platform": {"topology": "dgx_a100", "nodes": 4}, "engine": "analytic",
      "cost": {"model": "roofline", "memory_efficiency": 1}, "strategy": {)" +
                             strategy + "}" + rest + "}",
                         "clip.json"),
              "clip.json");
}

const std::string kClip = R"(, "clip_gradients": 1.0)";

// Among how many devices 4 bytes are added up, and how often.
std::map<int, int64_t> norms(const std::string& strategy) {
  const Outcome outcome = run(loaded(strategy, kClip));
  std::map<int, int64_t> found;
  for (const auto& row : outcome.summary.collectives) {
    if (row.bytes == Bytes(4)) found[row.ranks] += row.count;
  }
  return found;
}

using Norms = std::map<int, int64_t>;

TEST(ClippedScenario, AddsFourBytesUpOverShardsAndStagesOfEveryReplica) {
  EXPECT_EQ(norms(R"("tp": 8)"), (Norms{{8, 1}}));
  EXPECT_EQ(norms(R"("tp": 4, "pp": 4, "microbatches": 4, "global_batch": 4)"), (Norms{{16, 1}}));
  EXPECT_EQ(norms(R"("dp": 2, "tp": 4, "pp": 4, "microbatches": 4, "global_batch": 8)"), (Norms{{16, 2}}));
  EXPECT_EQ(norms(R"("dp": 8, "global_batch": 8)"), Norms());
}

TEST(ClippedScenario, AddsThemUpOverReplicasThatShareTheUpdate) {
  for (const char* zero : {"1", "2", "3"}) {
    const std::string share = std::string(R"(, "zero": )") + zero;
    EXPECT_EQ(norms(R"("dp": 8, "global_batch": 8)" + share), (Norms{{8, 1}}));
    EXPECT_EQ(norms(R"("dp": 2, "tp": 4, "pp": 4, "microbatches": 4, "global_batch": 8)" + share),
              (Norms{{2, 16}, {16, 2}}));
  }
}

Seconds time_of(const std::string& workload, const std::string& host = "") {
  return run(loaded(R"("dp": 1)", workload, host)).timeline.makespan;
}

// At the whole bandwidth of an A100; the two kernels are launched.
TEST(ClippedScenario, ReadsGradientsTwiceAndWritesThemOnce) {
  const Scenario scenario        = loaded(R"("dp": 1)", kClip);
  const Sequential sequential    = build(scenario);
  const PlatformRef platform     = load_platform(scenario.platform);
  const platform::Device& device = platform->devices()[0];
  const Bytes gradients(2 * sequential.parameters);
  const Seconds expected = 3 * gradients / device.memory_bandwidth + 2 * device.launch;
  EXPECT_NEAR((time_of(kClip) - time_of("")).value(), expected.value(), 1e-9);
}

// `host.step` already counts the kernels of the norm and of the scaling.
TEST(ClippedScenario, CostsTheHostNothingBesidesTheStep) {
  const std::string slow = R"(, "host": {"kernel": "1ms", "accumulation": "1ms", "gradient": "1ms", "step": "3ms"})";
  EXPECT_LT((time_of(kClip, slow) - time_of("", slow)).value(), 1e-3);
}

std::vector<std::string> idle(const std::string& workload) {
  const Scenario scenario = loaded(R"("dp": 1)", workload);
  std::vector<std::string> said;
  for (const IdleKey& key : idle_keys(scenario, run(scenario).summary)) said.push_back(key.where + ": " + key.why);
  return said;
}

TEST(ClippedScenario, SaysWhereTheKeyHasNoEffect) {
  EXPECT_EQ(idle(R"(, "mode": "inference", "clip_gradients": 1.0)"),
            std::vector<std::string>{"clip.json: $.workload.clip_gradients: inference has no gradients"});
  EXPECT_EQ(idle(kClip), std::vector<std::string>{});
}

TEST(ClippedScenario, TakesNoNegativeNorm) {
  try {
    loaded(R"("dp": 1)", R"(, "clip_gradients": -1)");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "clip.json: $.workload.clip_gradients: is the largest norm of the gradients, above 0; 0: they are not "
                 "clipped");
  }
}

}  // namespace
}  // namespace foreflow::scenario::clip_gradients_test
