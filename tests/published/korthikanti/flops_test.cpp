// Floating-point operations of an iteration: Narayanan et al., Efficient Large-Scale Language Model Training on GPU
// Clusters Using Megatron-LM (2021), with full recomputation, and Korthikanti et al. (2022), Appendix A, without and
// with selective recomputation; against what the simulated devices execute.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::published::flops_test {
namespace {

const std::string kBase     = FOREFLOW_SOURCE_DIR "/tests/published/korthikanti/gpt3_175b.json";
constexpr double kTolerance = 0.01;

struct Sizes {
  double l, h, a, s = 2048, v = 51200, B = 1;
  double dense() const { return B * s * l * h * h; }
};

// GPT-3, and Megatron's models of 530 and 1000 billion parameters.
constexpr Sizes kModels[] = {{96, 12288, 96}, {105, 20480, 128}, {128, 25600, 160}};

struct Flops2 {
  double model, hardware;
};

Flops2 flops_of(const Sizes& z, const std::string& recompute) {
  const auto whole = [](double value) { return std::to_string(static_cast<int64_t>(value)); };
  const scenario::Scenario scenario =
      scenario::load_file(kBase, {"workload.layers=" + whole(z.l), "workload.hidden=" + whole(z.h),
                                  "workload.heads=" + whole(z.a), "strategy.recompute=" + recompute});
  const scenario::Outcome outcome = scenario::run(scenario);
  return {outcome.summary.job.model_flops.value(), outcome.summary.job.hardware_flops.value()};
}

TEST(Flops, WithoutRecomputationAreThoseOfTheModel) {
  for (const Sizes& z : kModels) {
    const double expected = 72 * z.dense() * (1 + z.s / (6 * z.h) + z.v / (12 * z.l * z.h));
    const Flops2 ours     = flops_of(z, "none");
    EXPECT_NEAR(ours.model / expected, 1, kTolerance) << z.h;
    EXPECT_EQ(ours.hardware, ours.model) << z.h;
  }
}

TEST(Flops, WithFullRecomputationRepeatTheForwardPassOfTheLayers) {
  for (const Sizes& z : kModels) {
    const double model    = 72 * z.dense() * (1 + z.s / (6 * z.h) + z.v / (12 * z.l * z.h));
    const double hardware = 96 * z.dense() * (1 + z.s / (6 * z.h) + z.v / (16 * z.l * z.h));
    const Flops2 ours     = flops_of(z, "full");
    EXPECT_NEAR(ours.model / model, 1, kTolerance) << z.h;
    EXPECT_NEAR(ours.hardware / hardware, 1, kTolerance) << z.h;
  }
}

// The products of the attention core, 4 B s^2 h l flop, are done once more: 24 + 48 and 4 + 8 + 4.
TEST(Flops, WithSelectiveRecomputationRepeatTheAttentionCore) {
  for (const Sizes& z : kModels) {
    const double hardware = 72 * z.dense() * (1 + z.s / (4.5 * z.h) + z.v / (12 * z.l * z.h));
    EXPECT_NEAR(flops_of(z, "selective").hardware / hardware, 1, kTolerance) << z.h;
  }
}

// By how much, exactly: one more forward pass of the two products, 2 B s^2 h flop each, and of the element-wise ops
// between them (some 5 flop for each of the B a s^2 scores).
TEST(Flops, WithSelectiveRecomputationExceedTheModelByOneForwardPassOfTheCore) {
  for (const Sizes& z : kModels) {
    const Flops2 ours = flops_of(z, "selective");
    const double core = 4 * z.B * z.s * z.s * z.h * z.l, scores = z.B * z.a * z.s * z.s * z.l;
    EXPECT_GE(ours.hardware - ours.model, core) << z.h;
    EXPECT_LE(ours.hardware - ours.model, core + 10 * scores) << z.h;
  }
}

// Appendix A writes s/(3h) where the repeated products alone make s/(4.5h); the larger the model, the less it matters.
TEST(Flops, WithSelectiveRecomputationNearThePublishedFormulaForTheLargestModel) {
  const Sizes& z         = kModels[2];
  const double published = 72 * z.dense() * (1 + z.s / (3 * z.h) + z.v / (12 * z.l * z.h));
  EXPECT_NEAR(flops_of(z, "selective").hardware / published, 1, kTolerance);
}

}  // namespace
}  // namespace foreflow::published::flops_test
