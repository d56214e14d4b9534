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

// Llama 2 7B for 112 samples of about 1152 tokens: keys and values in a byte each instead of two.
Json serving(const std::string& dtype, const std::string& phase = "decode") {
  const std::string text = R"({"workload": {"model": "llama2-7b", "dtype": "bf16", "mode": "inference",
      "sequence": 1152, "context": 1151, "cache_dtype": ")" +
                           dtype + R"(", "phase": ")" + phase + R"("}, "platform": {"topology": "dgx_h100"},
      "strategy": {"global_batch": 112}, "engine": "analytic"})";
  return parse_json(text, "serving.json");
}

Json with(Json json, const std::string& change) {
  override_with(json, change);
  return json;
}

Outcome outcome_of(const Json& json) { return run(load(json, "serving.json")); }

bool converts(const Outcome& outcome) {
  return std::any_of(outcome.summary.ops.begin(), outcome.summary.ops.end(),
                     [](const report::OpTime& op) { return op.name == "Cast"; });
}

constexpr double kServed = 2 * 2.0 * 32 * 4096 * 112 * 1152;  // bytes of bf16

TEST(CacheType, HalvesBytesAndTheTimeToReadThem) {
  const Outcome wide = outcome_of(serving("bf16")), narrow = outcome_of(serving("fp8"));
  EXPECT_NEAR(peak(wide) - peak(narrow), kServed / 2, 1e-3 * kServed);
  const double reading = kServed / 2 / wide.platform->devices()[0].memory_bandwidth.value();
  const double saved   = (wide.summary.iteration_time - narrow.summary.iteration_time).value();
  EXPECT_GT(saved, reading);
  EXPECT_LT(saved, 1.25 * reading);
  EXPECT_FALSE(converts(narrow));
  EXPECT_EQ(narrow.summary.job.model_flops, wide.summary.job.model_flops);
  EXPECT_EQ(outcome_of(serving("f8")).summary.iteration_time, narrow.summary.iteration_time);
  EXPECT_TRUE(converts(outcome_of(with(serving("f8"), "strategy.attention=unfused"))));
}

TEST(CacheType, HoldsForPartsOfTheCaches) {
  for (const char* ways : {"strategy.tp=4", "strategy.dp=4", "strategy.pp=4"}) {
    SCOPED_TRACE(ways);
    const Outcome wide = outcome_of(with(serving("bf16"), ways)), narrow = outcome_of(with(serving("f8"), ways));
    EXPECT_NEAR(peak(wide) - peak(narrow), kServed / 8, 1e-2 * kServed);
    EXPECT_LT(narrow.summary.iteration_time, wide.summary.iteration_time);
  }
}

// A prefill leaves them converted, each rank its own heads.
TEST(CacheType, IsThatOfWhatAPrefillLeaves) {
  const Json wide      = with(serving("bf16", "prefill"), "strategy.tp=4"),
             narrow    = with(serving("f8", "prefill"), "strategy.tp=4");
  const Outcome before = outcome_of(wide), after = outcome_of(narrow);
  EXPECT_NEAR(peak(before) - peak(after), kServed / 8, 1e-2 * kServed);
  EXPECT_TRUE(converts(after));
  ASSERT_EQ(before.summary.collectives.size(), after.summary.collectives.size());
  for (size_t i = 0; i < before.summary.collectives.size(); ++i)
    EXPECT_EQ(before.summary.collectives[i].bytes, after.summary.collectives[i].bytes);
}

TEST(CacheType, IsRefusedWhereThereIsNoCache) {
  const auto refusal = [](const std::string& workload) -> std::string {
    try {
      outcome_of(
          parse_json(R"({"workload": {)" + workload + R"(}, "platform": {"topology": "dgx_h100"}})", "serving.json"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      refusal(R"("model": "llama2-7b", "cache_dtype": "f8")"),
      "serving.json: $.workload.cache_dtype: is of inference, and this workload trains; write \"mode\": \"inference\" "
      "beside it");
  EXPECT_EQ(
      refusal(R"("model": "gpt", "mode": "inference", "cache_dtype": "f8")"),
      "serving.json: $.workload.cache_dtype: is of the phases of inference; write \"phase\": \"prefill\" or \"decode\" "
      "beside it");
  EXPECT_EQ(
      refusal(R"("model": "llama2-7b", "mode": "inference", "cache_dtype": "i8")"),
      "serving.json: $.workload.cache_dtype: \"i8\" is no type of keys and values; use f64, f32, f16, bf16, f8 (or "
      "fp8, the same) or f8e5m2");
}

}  // namespace
}  // namespace foreflow::scenario::decode_test
