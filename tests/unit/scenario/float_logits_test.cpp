// "float_logits": the loss in Float32, in programs of 16 bits.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/scenario/run.h"
#include "support/distribution.h"

namespace foreflow::scenario::float_logits_test {
namespace {

// Two layers of 64 and 8192 tokens of 32768 words: the logits decide the peak.
constexpr double kTokens = 8 * 1024, kWords = 32768;

Scenario loaded(bool wide, const std::string& rest, const std::string& family = "llama") {
  const std::string text = R"({"workload": {"model": ")" + family + R"(", "layers": 2, "hidden": 64, "heads": 4,
    "vocabulary": 32768, "sequence": 1024, "dtype": "bf16", "mode": "training", "float_logits": )" +
                           (wide ? "true" : "false") + R"(}, "platform": {"topology": "dgx_h100", "nodes": 1},
    "engine": "analytic", "cost": {"model": "calibrated", "loss_bytes": "36B"}, "strategy": {"global_batch": 8)" +
                           rest + "}}";
  return load(parse_json(text, "logits.json"), "logits.json");
}

// Logits and their gradient, at four bytes each where they had two; with shards of the vocabulary a part of each.
TEST(FloatLogits, KeepLogitsAndTheirGradientInFourBytes) {
  const auto more = [](const std::string& strategy) {
    const auto peak = [&](bool wide) { return run(loaded(wide, strategy)).summary.devices[0].peak_memory.value(); };
    return peak(true) - peak(false);
  };
  constexpr double kMore = 4 * kTokens * kWords, kQuarter = kMore / 4;
  EXPECT_NEAR(more(""), kMore, 0.02 * kMore);
  EXPECT_NEAR(more(R"(, "dp": 4)"), kQuarter, 0.02 * kQuarter);
  EXPECT_NEAR(more(R"(, "dp": 4, "zero": 3)"), kQuarter, 0.02 * kQuarter);
  EXPECT_NEAR(more(R"(, "tp": 4, "vocabulary_parallel": true)"), kQuarter, 0.02 * kQuarter);
}

// Its kernels convert: `loss_bytes` has all that they read and write.
TEST(FloatLogits, TakeTheTimeOfTheLoss) {
  const double wide   = run(loaded(true, "")).summary.iteration_time.value(),
               narrow = run(loaded(false, "")).summary.iteration_time.value();
  EXPECT_NEAR(wide / narrow, 1, 1e-3);
}

// With a balance loss of experts behind the loss, too, whose type stays.
TEST(FloatLogits, ComputeTheLossMoreExactly) {
  const auto evaluated = [](const ir::Module& module) {
    std::mt19937_64 random(20265);
    return interpret::evaluate(module, module.functions.size() - 1, test::random_arguments(module, random, 32));
  };
  for (const std::string family : {"gpt", "moe"}) {
    const auto results = [&](bool wide) {
      Json work = parse_json(R"({"layers": 1, "hidden": 16, "heads": 2, "vocabulary": 32, "sequence": 8,
        "dtype": "bf16", "mode": "training", "optimizer": "sgd"})",
                             "work");
      work.set("model", family).set("float_logits", wide);
      if (family == "moe") work.set("experts", 2).set("feed_forward", 16).set("balance_loss", 1);
      Json scenario = parse_json(R"({"platform": {"topology": "dgx_h100"}, "strategy": {"global_batch": 2}})", "loss");
      scenario.set("workload", std::move(work));
      return evaluated(build(load(scenario, "loss.json")).module);
    };
    const auto wide = results(true), narrow = results(false);
    ASSERT_EQ(wide.size(), narrow.size());
    for (size_t i = 0; i < wide.size(); ++i) {
      EXPECT_EQ(wide[i].dtype(), narrow[i].dtype());
      EXPECT_LE(test::relative_difference(wide[i], narrow[i]), 2e-2) << family << " " << i;
    }
  }
}

// Squares of differences have targets of the same type.
TEST(FloatLogits, OfAPerceptronAreComparedWithTargetsInFloat32) {
  for (const char* framework : {"megatron-lm", "ddp", "fsdp", "torchtitan"}) {
    const std::string text = R"({"framework": ")" + std::string(framework) + R"(", "workload": {"model": "mlp",
      "layers": 4, "hidden": 64, "dtype": "bf16"}, "platform": {"topology": "dgx_h100"},
      "strategy": {"dp": 2, "global_batch": 8}})";
    EXPECT_GT(run(load(parse_json(text, "mlp.json"), "mlp.json")).summary.iteration_time, Seconds(0)) << framework;
  }
}

TEST(FloatLogits, AreForNarrowTypes) {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 1, "hidden": 16, "heads": 2, "dtype": "f32",
    "float_logits": true}, "platform": {"topology": "dgx_h100"}})";
  try {
    load(parse_json(text, "wide.json"), "wide.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "wide.json: $.workload.float_logits: is for dtype f16, bf16 or f8; weights of f32 need none");
  }
}

}  // namespace
}  // namespace foreflow::scenario::float_logits_test
