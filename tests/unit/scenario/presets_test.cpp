// A scenario may name a published model; what it says itself wins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"
#include "foreflow/workload/preset.h"

namespace foreflow::scenario::presets_test {
namespace {

Scenario loaded(const std::string& workload, const std::string& rest = "") {
  const std::string text =
      R"({"workload": )" + workload + R"(, "platform": {"topology": "dgx_a100"}, "engine": "analytic")" + rest + "}";
  return load(parse_json(text, "preset.json"), "preset.json");
}

std::string complaint(const std::string& workload, const std::string& rest) {
  try {
    loaded(workload, rest);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Preset, StandsForItsSizes) {
  const Scenario scenario = loaded(R"({"model": "bert-large", "sequence": 128})");
  EXPECT_EQ(scenario.workload.family->name, "bert");
  EXPECT_EQ(scenario.workload.size("layers"), 24);
  EXPECT_EQ(scenario.workload.size("sequence"), 128);
  EXPECT_EQ(build(scenario).tokens_per_sample, 128);
}

TEST(Preset, IsCheckedAgainstTheStrategyByItsSizes) {
  EXPECT_EQ(complaint(R"({"model": "llama3-8b"})", R"(, "strategy": {"tp": 16})"),
            "preset.json: $.strategy.tp: 16 does not divide the 8 heads of keys and values; use 1, 2, 4 or 8");
  EXPECT_EQ(complaint(R"({"model": "gpt2-124m"})", R"(, "strategy": {"pp": 13})"),
            "preset.json: $.strategy.pp: 13 stages are more than the 12 layers; use at most 12, or count the "
            "embedding or the head as a layer with count_as_layers embedding or head");
  EXPECT_EQ(complaint(R"({"model": "gpt2-124m"})", R"(, "strategy": {"pp": 14})"),
            "preset.json: $.strategy.pp: 14 stages are more than the 12 layers; use at most 12, or count the "
            "embedding and the head as layers with count_as_layers both");
  EXPECT_THAT(complaint(R"({"model": "resnet50", "heads": 2})", ""),
              testing::StartsWith("preset.json: $.workload.heads: unknown key \"heads\"; use dtype, "));
}

// Neither a bare family nor a preset without the size states what the strategy does not fit to.
TEST(Preset, IsCheckedAgainstTheStrategyByTheDefaultsOfItsFamily) {
  EXPECT_EQ(complaint(R"({"model": "llama"})", R"(, "strategy": {"tp": 3})"),
            "preset.json: $.strategy.tp: 3 does not divide the 32 attention heads; use 1, 2, 4, 8, 16 or 32");
  EXPECT_THAT(complaint(R"({"model": "llama", "hidden": 2048, "heads": 16})",
                        R"(, "strategy": {"pp": 8, "microbatches": 8, "global_batch": 8,
                                          "schedule": "interleaved_1f1b", "virtual_stages": 8})"),
              testing::StartsWith("preset.json: $.strategy.virtual_stages: 8 devices x 8 stages are more than the 32 "
                                  "layers; use fewer"));
  EXPECT_EQ(complaint(R"({"model": "bert-large"})", R"(, "strategy": {"tp": 8, "vocabulary_parallel": true})"),
            "preset.json: $.strategy.vocabulary_parallel: tp = 8 does not divide the vocabulary of 30522; pad it to "
            "30528");
  EXPECT_EQ(complaint(R"({"model": "moe"})", R"(, "strategy": {"dp": 16, "ep": 16, "global_batch": 16})"),
            "preset.json: $.strategy.ep: 16 does not divide the 8 experts; use 1, 2, 4 or 8");
}

// The graph of the ONNX export too.
TEST(Preset, ServesInferenceOfGpt) {
  const Scenario scenario = loaded(R"({"model": "gpt2-124m", "mode": "inference", "layers": 2, "sequence": 16})");
  EXPECT_EQ(build(scenario).tokens_per_sample, 16);
  const Scenario decode = loaded(R"({"model": "gpt2-124m", "mode": "inference", "layers": 2, "phase": "decode"})");
  EXPECT_EQ(build(decode).tokens_per_sample, 1);
}

// Without the running statistics of its normalizations, 53,120 numbers, as torchvision counts.
TEST(Preset, HasTheParametersThatArePublished) {
  EXPECT_EQ(build(loaded(R"({"model": "resnet50"})")).parameters, 25557032);
  EXPECT_EQ(build(loaded(R"({"model": "resnet50", "mode": "inference"})")).parameters, 25557032);
  EXPECT_EQ(build(loaded(R"({"model": "bert-base"})")).parameters, workload::presets().find("bert-base")->parameters);
}

TEST(Preset, ServesEachOfSeveralJobs) {
  const Scenario scenario =
      loaded(R"({"model": "gpt2-124m"})", R"(, "jobs": [{}, {"workload": {"model": "t5-small"}}])");
  ASSERT_EQ(scenario.jobs.size(), 2U);
  EXPECT_EQ(scenario.jobs[0].scenario.workload.size("layers"), 12);
  EXPECT_EQ(scenario.jobs[1].scenario.workload.size("layers"), 6);
}

}  // namespace
}  // namespace foreflow::scenario::presets_test
