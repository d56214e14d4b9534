// Microbatches that repeat each other are simulated once: twice as many of them make a program no longer.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::repeated_rounds_test {
namespace {

// The number of items in the longest stream that is simulated.
size_t longest_stream(const std::string& strategy, int microbatches) {
  const std::string text =
      R"({"workload": {"model": "llama", "layers": 16, "hidden": 256, "heads": 8, "kv_heads": 4, "sequence": 64,
          "vocabulary": 1024, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
          "platform": {"topology": "dgx_a100", "nodes": 2}, "cost": {"model": "roofline"}, "engine": "simgrid",
          "strategy": {"dp": 2, "tp": 2, "pp": 4, "microbatches": )" +
      std::to_string(microbatches) + R"(, "global_batch": )" + std::to_string(2 * microbatches) + ", " + strategy +
      "}}";
  const Outcome outcome = run(load(parse_json(text, "rounds"), "rounds"));
  size_t most           = 0;
  for (const stream::Stream& stream : outcome.program.streams) most = std::max(most, stream.items.size());
  return most;
}

class RepeatedRounds : public testing::TestWithParam<std::string> {};

TEST_P(RepeatedRounds, AreSimulatedOnce) {
  EXPECT_EQ(longest_stream(GetParam(), 512), longest_stream(GetParam(), 256));
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, RepeatedRounds,
    testing::Values(R"("schedule": "1f1b")", R"("schedule": "eager_1f1b")", R"("schedule": "zb_h1")",
                    R"("schedule": "zb_h2")", R"("schedule": "zb_v", "overlap_gradients": true)",
                    R"("schedule": "chimera")", R"("schedule": "dualpipe")",
                    R"("schedule": "dualpipe_v", "sequence_parallel": true, "overlap_tensor": 2)",
                    R"("schedule": "interleaved_1f1b", "virtual_stages": 4, "sequence_parallel": true)",
                    R"("schedule": "interleaved_1f1b", "virtual_stages": 4, "overlap_tensor": 2)",
                    R"("schedule": "1f1b", "overlap_gradients": true)",
                    R"("schedule": "1f1b", "overlap_gradients": true, "zero": 1, "bucket_size": "1 MB")",
                    R"("schedule": "1f1b", "overlap_gradients": true, "zero": 2)",
                    R"("schedule": "1f1b", "overlap_gradients": true, "sequence_parallel": true, "overlap_tensor": 2)",
                    R"("schedule": "interleaved_1f1b", "virtual_stages": 2, "overlap_gradients": true)"));

}  // namespace
}  // namespace foreflow::scenario::repeated_rounds_test
