// Stages of an encoder-decoder with sequence parallelism: all layers of the decoder read one gather of what the encoder
// made, and their backward pass stays in their own stages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::shared_gathers_test {
namespace {

scenario::Outcome outcome(const std::string& rest) {
  const std::string text = R"({"workload": {"model": "t5", "layers": 8, "hidden": 512, "heads": 8, "head_size": 64,
          "feed_forward": 2048, "sequence": 512, "target_sequence": 512, "vocabulary": 128, "dtype": "bf16",
          "mode": "training", "optimizer": "sgd"},
      "platform": {"topology": "dgx_a100", "nodes": 1}, "engine": "analytic", "cost": {"model": "roofline"},
      "strategy": {"tp": 2, "pp": 4, "microbatches": 4, "global_batch": 16, )" +
                           rest + "}}";
  return scenario::run(scenario::load(parse_json(text, "gathers"), "gathers"));
}

// In seconds, by device.
std::vector<double> computed(const std::string& rest) {
  std::vector<double> seconds;
  for (const auto& device : outcome(rest).summary.devices) seconds.push_back(device.compute.value());
  return seconds;
}

std::string keys(const std::string& partition, const std::string& recompute) {
  return R"("stage_partition": ")" + partition + R"(", "recompute": ")" + recompute + R"(", "sequence_parallel": )";
}

TEST(SharedGathers, LeaveEachStageItsOwnBackwardPass) {
  for (const std::string partition : {"balanced", "uniform"}) {
    for (const std::string recompute : {"none", "full"}) {
      const std::string rest          = keys(partition, recompute);
      const std::vector<double> whole = computed(rest + "false"), parts = computed(rest + "true");
      ASSERT_EQ(parts.size(), whole.size());
      // Sequence parallelism only divides work that all ranks do without it, and a cut may move by part of a layer.
      for (size_t i = 0; i < parts.size(); ++i) {
        EXPECT_LT(parts[i], 1.15 * whole[i]) << partition << ", recompute " << recompute << ", device " << i + 1;
        EXPECT_GT(parts[i], 0.7 * whole[i]) << partition << ", recompute " << recompute << ", device " << i + 1;
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::shared_gathers_test
