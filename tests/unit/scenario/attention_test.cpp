// What attention in one op saves, and where it is the default.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "foreflow/scenario/run.h"
#include "foreflow/scenario/strategy_key.h"

namespace foreflow::scenario::attention_test {
namespace {

constexpr int64_t kLayers = 4, kHeads = 16, kKeyHeads = 4, kHidden = 2048;

Scenario scenario_of(int64_t sequence, const std::string& strategy, const std::string& cost = "roofline") {
  const std::string text =
      R"({"workload": {"model": "llama", "layers": 4, "hidden": 2048, "feed_forward": 5632, "heads": 16, "kv_heads": 4,
                       "vocabulary": 2048, "dtype": "bf16", "sequence": )" +
      std::to_string(sequence) +
      R"(}, "platform": {"topology": "dgx_h100"}, "engine": "analytic", "cost": {"model": ")" + cost +
      R"("}, "strategy": {"pp": 1)" + strategy + "}}";
  return load(parse_json(text, "attention.json"), "attention.json");
}

report::Summary answer(int64_t sequence, const std::string& strategy) {
  return run(scenario_of(sequence, strategy)).summary;
}

double peak(const report::Summary& summary) { return summary.devices.front().peak_memory.value(); }

TEST(Attention, KeepsOneNumberARowInPlaceOfScoresAndProbabilities) {
  for (const int64_t s : {1024, 4096}) {
    const auto n = static_cast<double>(s);
    // Per layer: the scores with their mask in 2 bytes and the probabilities, against one number of 4 bytes a row.
    const double scores = kLayers * kHeads * n * n * 2, rows = kLayers * kHeads * n * 4;
    const double saved = peak(answer(s, R"(, "attention": "unfused")")) - peak(answer(s, ""));
    EXPECT_GT(saved, scores - rows - kHidden * n * 4);
    EXPECT_LT(saved, 3 * scores);
  }
}

// In the order [s,b,h] a second copy of [b,s,h] is kept for the product behind it, and written and read once a pass.
TEST(Attention, WithTheSequenceFirstKeepsACopyOfWhatItMakesForSeveralSamples) {
  const std::string four = R"(, "global_batch": 4, "recompute": "none")", first = R"(, "sequence_first": true)";
  const double copy             = 4 * 2048.0 * kHidden * 2;
  const report::Summary batches = answer(2048, four), copied = answer(2048, four + first);
  EXPECT_DOUBLE_EQ(peak(copied) - peak(batches), kLayers * copy);
  EXPECT_GT(copied.iteration_time, batches.iteration_time);
  const std::string single = four + R"(, "microbatch_size": 1)";
  EXPECT_EQ(peak(answer(2048, single + first)), peak(answer(2048, single)));
  EXPECT_EQ(answer(2048, single + first).iteration_time, answer(2048, single).iteration_time);
}

TEST(Attention, MemoryGrowsWithTheSequenceAndNotWithItsSquare) {
  const double state = peak(answer(1024, ""));
  const double first = peak(answer(16384, "")) - state, second = peak(answer(31744, "")) - state;
  EXPECT_NEAR(second / first, 2, 0.02);
}

TEST(Attention, SelectiveRecomputationHasNothingToRepeat) {
  const report::Summary none = answer(4096, ""), selective = answer(4096, R"(, "recompute": "selective")");
  EXPECT_EQ(selective.iteration_time, none.iteration_time);
  EXPECT_EQ(peak(selective), peak(none));
  const std::string unfused = R"(, "attention": "unfused")";
  EXPECT_LT(peak(answer(4096, unfused + R"(, "recompute": "selective")")), peak(answer(4096, unfused)));
}

// Published counts include the pairs that a causal mask hides, and so do both of these.
TEST(Attention, DevicesExecuteNoLessThanTheModelAsksFor) {
  for (const std::string strategy :
       {"", R"(, "recompute": "full")", R"(, "cp": 4)", R"(, "cp": 4, "context_attention": "ring")", R"(, "tp": 4)"}) {
    const report::Summary flash = answer(8192, strategy);
    EXPECT_GE(flash.job.hardware_flops, flash.job.model_flops) << strategy;
    EXPECT_EQ(flash.job.model_flops, answer(8192, R"(, "attention": "unfused")").job.model_flops);
  }
  // Of each pair 2 + 4 products forward and backward, and the scores once more.
  const report::Summary flash = answer(8192, "");
  const double pairs          = static_cast<double>(kLayers) * kHidden * 8192.0 * 8192.0;
  EXPECT_NEAR((flash.job.hardware_flops - flash.job.model_flops).value() / (2 * pairs), 1, 0.2);
}

TEST(Attention, IsFasterTheLongerTheSequence) {
  double before = 1;
  for (const int64_t s : {2048, 8192, 32768}) {
    const double gain = answer(s, R"(, "attention": "unfused")").iteration_time / answer(s, "").iteration_time;
    EXPECT_GT(gain, before) << s;
    before = gain;
  }
}

std::string used(const Scenario& scenario) { return std::string(transform::name(scenario.strategy.attention_used())); }

TEST(Attention, IsFlashForTransformersUnlessTheCostModelKnowsOnlyExportedOps) {
  EXPECT_EQ(used(scenario_of(1024, "")), "flash");
  EXPECT_EQ(used(scenario_of(1024, "", "distir")), "unfused");
  EXPECT_EQ(used(scenario_of(1024, R"(, "attention": "flash")", "distir")), "flash");
  const Json mlp =
      parse_json(R"({"workload": {"model": "mlp"}, "platform": {"topology": "dgx2"}, "strategy": {}})", "mlp");
  EXPECT_EQ(used(load(mlp, "mlp")), "unfused");
}

TEST(Attention, SaysWhatIsNoWayToComputeIt) {
  const auto refusal = [](const std::string& strategy) -> std::string {
    try {
      scenario_of(1024, strategy);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(R"(, "attention": "fast")"),
            "attention.json: $.strategy.attention: \"fast\" is no way to compute attention; use flash or unfused");
  EXPECT_EQ(
      refusal(R"(, "cp": 2, "context_attention": "ring", "attention": "unfused")"),
      "attention.json: $.strategy.attention: unfused keeps all scores, and with context_attention ring no rank has "
      "them; use flash, or all_gather");
}

}  // namespace
}  // namespace foreflow::scenario::attention_test
