#include <gtest/gtest.h>

#include <string>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {
namespace {

// 24 layers in 80 GB: the activations of 44 samples do not fit, those that full recomputation keeps do.
Scenario scenario_with(const std::string& strategy, const std::string& mode = "training") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 24, "hidden": 2048, "heads": 16, "sequence": 1024,
      "vocabulary": 51200, "dropout": 0.1, "dtype": "f16", "mode": ")" + mode + R"(", "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": )" + strategy + "}";
  return load(parse_json(text, "test"), "test");
}

report::Summary answer(const std::string& recompute, const std::string& rest) {
  return run(scenario_with(R"({"recompute": ")" + recompute + "\", " + rest + "}")).summary;
}

void expect_error(const std::string& strategy, const std::string& mode, const std::string& message) {
  try {
    scenario_with(strategy, mode);
    FAIL() << "no error for " << strategy;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(RecomputeStrategy, IsRefusedInOneSentenceAtItsKey) {
  expect_error(R"({"recompute": "some"})", "training", "test: $.strategy.recompute: \"some\" is no way to recompute; use none, selective, full");
  expect_error(R"j({"recompute": "block(0)"})j", "training", "$.strategy.recompute");
  expect_error(R"({"recompute": "full"})", "inference", "test: $.strategy.recompute: full needs a backward pass");
}

TEST(RecomputeStrategy, OptimalRepeatsNothingWhereEverythingFits) {
  const report::Summary optimal = answer("optimal", R"("global_batch": 8)");
  EXPECT_TRUE(optimal.fits);
  EXPECT_EQ(optimal.job.hardware_flops, optimal.job.model_flops);
}

TEST(RecomputeStrategy, OptimalFitsWithLessWorkThanFull) {
  const std::string rest     = R"("global_batch": 44)";
  const report::Summary none = answer("none", rest), full = answer("full", rest), optimal = answer("optimal", rest);
  EXPECT_FALSE(none.fits);
  EXPECT_TRUE(full.fits);
  EXPECT_TRUE(optimal.fits);
  EXPECT_GT(optimal.job.hardware_flops, none.job.hardware_flops);
  EXPECT_LT(optimal.job.hardware_flops, 0.95 * full.job.hardware_flops);
  EXPECT_EQ(optimal.job.model_flops, none.job.model_flops);
}

TEST(RecomputeStrategy, OptimalFitsOnEveryStage) {
  const std::string rest     = R"("pp": 2, "microbatches": 4, "global_batch": 160)";
  const report::Summary none = answer("none", rest), optimal = answer("optimal", rest);
  EXPECT_FALSE(none.fits);
  EXPECT_TRUE(optimal.fits);
}

// The microbatches that a schedule holds count: gpipe all of them, interleaved_1f1b more than 1f1b.
TEST(RecomputeStrategy, OptimalFitsUnderEverySchedule) {
  for (const std::string schedule : {"gpipe", "1f1b", "interleaved_1f1b", "chimera", "zb_h1"}) {
    const std::string rest = R"("pp": 4, "microbatches": 8, "global_batch": 192, "schedule": ")" + schedule + "\"";
    const report::Summary optimal = answer("optimal", rest);
    EXPECT_TRUE(optimal.fits) << schedule;
    EXPECT_LT(optimal.job.hardware_flops, answer("full", rest).job.hardware_flops) << schedule;
  }
}

TEST(RecomputeStrategy, OptimalSaysWhereNothingFits) {
  try {
    answer("optimal", R"("global_batch": 4096)");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("test: $.strategy.recompute: optimal finds no room"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("D1 still needs"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foreflow::scenario
