// Balanced stages are kept within memory with what ZeRO leaves of weights, gradients and optimizer states.
#include <gtest/gtest.h>

#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"
#include "foreflow/scenario/shared_programs.h"
#include "scenario/distribution/stages.h"

namespace foreflow::scenario::stage_memory_test {
namespace {

// In equal halves the first stage needs 3.28 MB with replicas alone, and with ZeRO no more than 2.69 MB.
Scenario scenario_with(int zero, const std::string& memory) {
  const std::string text = R"({"workload": {"model": "mlp", "layers": 32, "hidden": 64, "dtype": "f16",
                                            "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "device": {"memory": ")" +
                           memory + R"("}}, "engine": "analytic", "cost": {"model": "roofline"},
      "strategy": {"dp": 4, "pp": 2, "microbatches": 4, "global_batch": 4096, "schedule": "1f1b", "zero": )" +
                           std::to_string(zero) + "}}";
  return load(parse_json(text, "mlp.json"), "mlp.json");
}

// Four ranks hold copies of each weight, and there are no further replicas. The first stage needs 11.5 MB in equal
// halves, and with ZeRO no more than 8.8 MB.
Scenario scenario_with_contexts(int zero, const std::string& memory) {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 12, "hidden": 64, "heads": 4, "sequence": 64,
                                            "vocabulary": 64, "dtype": "f16", "mode": "training",
                                            "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "device": {"memory": ")" +
                           memory + R"("}}, "engine": "analytic", "cost": {"model": "roofline"},
      "strategy": {"cp": 4, "pp": 2, "microbatches": 4, "global_batch": 64, "schedule": "1f1b",
                   "attention": "flash", "zero": )" +
                           std::to_string(zero) + "}}";
  return load(parse_json(text, "gpt.json"), "gpt.json");
}

std::vector<int32_t> ends_of(const Scenario& scenario) {
  const PlatformRef platform = load_platform(scenario.platform);
  const Sequential program   = build(scenario);
  return try_cut(program, scenario, *platform, 1).value().stage_ends;
}

TEST(StageMemory, IsWhatZeroLeaves) {
  const std::vector<int32_t> even = ends_of(scenario_with(0, "40GB"));
  EXPECT_NE(ends_of(scenario_with(0, "3MB")), even);
  for (const int zero : {1, 2, 3}) EXPECT_EQ(ends_of(scenario_with(zero, "3MB")), even) << zero;
}

TEST(StageMemory, IsWhatZeroLeavesToRanksOfOneReplica) {
  const std::vector<int32_t> even = ends_of(scenario_with_contexts(0, "40GB"));
  EXPECT_NE(ends_of(scenario_with_contexts(0, "10MB")), even);
  for (const int zero : {1, 2, 3}) EXPECT_EQ(ends_of(scenario_with_contexts(zero, "10MB")), even) << zero;
}

std::string answer(const Scenario& scenario, SharedPrograms* shared) {
  const PlatformRef platform = load_platform(scenario.platform);
  const Sequential program   = build(scenario);
  const Prediction predicted = try_predict(scenario, program, *platform, {}, shared).value();
  return report::to_json(predicted.summary, predicted.program, *platform).dump();
}

TEST(StageMemory, IsKnownToSharedPrograms) {
  SharedPrograms shared;
  for (const int zero : {0, 1, 2, 3, 0}) {
    const Scenario scenario = scenario_with(zero, "3MB");
    EXPECT_EQ(answer(scenario, &shared), answer(scenario, nullptr)) << zero;
  }
}

}  // namespace
}  // namespace foreflow::scenario::stage_memory_test
