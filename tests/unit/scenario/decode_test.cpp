// Decoding with a cache of keys and values reads all weights and all caches once a token, and keeps them in memory
// once.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::decode_test {
namespace {

constexpr double kBatch = 16, kContext = 2047;
// LLaMA 2 7B in 16 bits. Of the table that embeds tokens only their rows are read.
constexpr double kWeights = 2 * 6738415616.0, kTable = 2 * 32000.0 * 4096;
// Keys and values of 32 layers of width 4096, with room for the new token.
constexpr double kCaches = 2 * 2 * 32 * 4096 * kBatch * (kContext + 1);

Scenario decoding(const std::string& strategy) {
  const std::string text =
      R"({"workload": {"model": "llama2-7b", "dtype": "f16", "mode": "inference", "phase": "decode",
      "context": 2047}, "platform": {"topology": "dgx_a100"}, "cost": {"model": "roofline", "memory_efficiency": 1},
      "engine": "analytic", "strategy": {"global_batch": 16, )" +
      strategy + "}}";
  return load(parse_json(text, "decode.json"), "decode.json");
}

double peak(const Outcome& outcome) {
  double most = 0;
  for (const report::DeviceSummary& device : outcome.summary.devices) most = std::max(most, device.peak_memory.value());
  return most;
}

TEST(Decode, TakesTheTimeToReadWeightsAndCaches) {
  const Scenario scenario        = decoding(R"("tp": 1)");
  const Outcome outcome          = run(scenario);
  const platform::Device& device = outcome.platform->devices()[0];
  const double reading           = (kWeights - kTable + kCaches) / device.memory_bandwidth.value();
  const double kernels           = static_cast<double>(build(scenario).module.entry().ops.size());
  const double iteration         = outcome.summary.iteration_time.value();
  EXPECT_GT(iteration, reading);
  EXPECT_LT(iteration, 1.05 * reading + kernels * device.launch.value());
}

// The law of attention is one of as many queries as keys: a single query would pay for the square of the context.
TEST(Decode, ReadsWhatAttentionSeesOnceWithCalibratedCosts) {
  const auto time = [](const std::string& attention) {
    Json json = decoding(R"("tp": 1)").source;
    override_with(json, "cost={}");
    override_with(json, "strategy.attention=" + attention);
    return run(load(json, "decode.json")).summary.iteration_time;
  };
  EXPECT_LT(time("flash"), time("unfused"));
  EXPECT_GT(time("flash"), 0.7 * time("unfused"));
}

// Each step turns one token of each sample, however many the cache holds.
TEST(Decode, TakesNoLongerToRotateBehindALongerCache) {
  const auto time = [](int64_t context) {
    Json json = decoding(R"("tp": 8)").source;
    override_with(json, "workload.context=" + std::to_string(context));
    const report::Summary summary = run(load(json, "decode.json")).summary;
    const auto found              = std::find_if(summary.ops.begin(), summary.ops.end(),
                                                 [](const report::OpTime& op) { return op.name == "RotaryEmbedding"; });
    return found == summary.ops.end() ? 0 : found->seconds.value();
  };
  EXPECT_GT(time(2047), 0);
  EXPECT_NEAR(time(65535) / time(2047), 1, 1e-9);
}

TEST(Decode, KeepsCachesOnce) {
  const double all = peak(run(decoding(R"("tp": 1)")));
  EXPECT_GT(all, kWeights + kCaches);
  EXPECT_LT(all, 1.01 * (kWeights + kCaches));
}

TEST(Decode, SplitsCachesOverHeads) {
  const double part = peak(run(decoding(R"("tp": 4)")));
  EXPECT_GT(part, (kWeights - kTable + kCaches) / 4);
  EXPECT_LT(part, 1.03 * ((kWeights - kTable + kCaches) / 4 + kTable));
}

TEST(Decode, SpreadsCachesOverStages) {
  const double part = peak(run(decoding(R"("pp": 4, "microbatches": 4)")));
  EXPECT_GT(part, (kWeights + kCaches) / 4);
  EXPECT_LT(part, 1.1 * (kWeights + kCaches) / 4);
}

}  // namespace
}  // namespace foreflow::scenario::decode_test
