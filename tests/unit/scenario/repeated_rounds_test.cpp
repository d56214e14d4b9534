// Microbatches that repeat each other are simulated once: twice as many of them make a program no longer.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/every_round.h"

namespace foreflow::scenario::repeated_rounds_test {
namespace {

std::string text_of(const std::string& strategy, int microbatches) {
  return
      R"({"workload": {"model": "llama", "layers": 16, "hidden": 256, "heads": 8, "kv_heads": 4, "sequence": 64,
          "vocabulary": 1024, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
          "platform": {"topology": "dgx_a100", "nodes": 2}, "cost": {"model": "roofline"}, "engine": "simgrid",
          "strategy": {"dp": 2, "tp": 2, "pp": 4, "microbatches": )" +
      std::to_string(microbatches) + R"(, "global_batch": )" + std::to_string(2 * microbatches) + ", " + strategy +
      "}}";
}

// The number of items in the longest stream that is simulated.
size_t longest_stream(const Outcome& outcome) {
  size_t most = 0;
  for (const stream::Stream& stream : outcome.program.streams) most = std::max(most, stream.items.size());
  return most;
}
size_t longest_stream(const std::string& strategy, int microbatches) {
  return longest_stream(run(load(parse_json(text_of(strategy, microbatches), "rounds"), "rounds")));
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

// Replicas that meet after the loop only have periods of their own: one has a slow device, or a stage on other servers.
class PartsOfALoop : public testing::TestWithParam<std::string> {};

TEST_P(PartsOfALoop, RepeatThemselvesEachInItsTime) {
  const auto scenario_of = [](int microbatches) {
    Json json       = parse_json(text_of(R"("schedule": "1f1b")", microbatches), "rounds");
    const Json more = parse_json(GetParam(), "more");
    for (const auto& [key, value] : *more.if_object()) json.set(key, value);
    return load(json, "rounds");
  };
  const Outcome few = run(scenario_of(256));
  EXPECT_EQ(longest_stream(run(scenario_of(512))), longest_stream(few));
  const Outcome all = test::with_every_round(scenario_of(256));
  EXPECT_LT(longest_stream(few), longest_stream(all) / 2);
  test::expect_same_figures(few, all);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, PartsOfALoop,
    testing::Values(
        R"({"disturbances": {"slowdowns": [{"device": "node0-gpu3", "factor": 1.3}]}})",
        R"({"disturbances": {"slowdowns": [{"device": "node0-gpu0", "factor": 1.3},
                                           {"device": "node1-gpu4", "factor": 1.1}]}})",
        R"({"platform": {"parts": [{"topology": "dgx_a100", "nodes": 1}, {"topology": "dgx_h100", "nodes": 1}]}})"));

}  // namespace
}  // namespace foreflow::scenario::repeated_rounds_test
