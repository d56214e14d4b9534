// Flash attention of frameworks whose kernels are older than those that were measured. Factors: Shah et al., 2024 (1.5
// to 2 forward, 1.5 to 1.75 backward); Dao, 2023 (1.3 to 1.5 for Triton,
// 1.7 to 3 for FlashAttention 1).
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/cost/cost.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost::attention_kernels_test {
namespace {

CostModel model(const std::string& kernels) {
  Json parameters = Json::object();
  if (!kernels.empty()) parameters.set("attention", kernels);
  return cost_models().get("calibrated", "test").make(JsonView(parameters, "s.json"));
}

// Causal attention of 16 heads over 8192 tokens, forward.
double seconds(const std::string& kernels, const char* device, double dropout = 0) {
  const ir::Type heads = ir::Type::tensor(ir::DType::bf16, {1, 16, 8192, 128});
  const std::vector<ir::Type> inputs(3, heads), outputs{heads};
  const std::vector<const ir::Array*> known(3, nullptr);
  ir::Attributes attributes{{"causal", 1}, {"scale", 0.088}};
  if (dropout > 0) attributes.set("dropout", dropout);
  platform::Device sheet = platform::device_of(platform::devices().get(device, "test").sheet);
  sheet.kind             = device;
  const Application application{{ops::table().get("BlockAttention", "test"), attributes, inputs, known, 1}, outputs};
  return model(kernels).compute(application, sheet).time.value();
}

// 5.5 instructions for each of the scores that the mask shows, as many at a time as there are units for Float32.
TEST(AttentionKernels, ThatDropProbabilitiesDrawANumberForEachScore) {
  const double scores = 16.0 * 8192 * 8193 / 2,
               more   = seconds("", "A100-SXM4-80GB", 0.1) - seconds("", "A100-SXM4-80GB");
  EXPECT_NEAR(more, scores * 5.5 / (19.5e12 / 2), 0.03 * more);  // and two flop a score
  EXPECT_GT(more, 0.1 * seconds("", "A100-SXM4-80GB"));
  EXPECT_LT(more, 0.3 * seconds("", "A100-SXM4-80GB"));
}

TEST(AttentionKernels, AreThoseThatWereMeasuredUnlessSomeoneSaysOtherwise) {
  for (const char* device : {"A100-SXM4-80GB", "H100-SXM5-80GB"})
    EXPECT_DOUBLE_EQ(seconds("", device), seconds("tuned", device)) << device;
}

TEST(AttentionKernels, OfAmpereAreSlowOnHopper) {
  EXPECT_DOUBLE_EQ(seconds("flash2", "A100-SXM4-80GB"), seconds("tuned", "A100-SXM4-80GB"));
  const double ratio = seconds("flash2", "H100-SXM5-80GB") / seconds("tuned", "H100-SXM5-80GB");
  EXPECT_GE(ratio, 1.5);
  EXPECT_LE(ratio, 2.0);
}

TEST(AttentionKernels, InTritonAreSlowEverywhere) {
  for (const char* device : {"A100-SXM4-80GB", "H100-SXM5-80GB"}) {
    const double ratio = seconds("triton", device) / seconds("flash2", device);
    EXPECT_GE(ratio, 1.3) << device;
    EXPECT_LE(ratio, 1.5) << device;
  }
}

TEST(AttentionKernels, OfTheFirstVersionTakeAboutTwiceAsLong) {
  for (const char* device : {"A100-SXM4-80GB", "H100-SXM5-80GB"}) {
    const double ratio = seconds("flash1", device) / seconds("flash2", device);
    EXPECT_GE(ratio, 1.7) << device;
    EXPECT_LE(ratio, 3.0) << device;
  }
}

TEST(AttentionKernels, HaveNames) {
  try {
    model("flash9");
    FAIL() << "nothing was wrong";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "s.json: $.attention: is \"flash9\"; write tuned, flash2, flash1 or triton");
  }
}

}  // namespace
}  // namespace foreflow::cost::attention_kernels_test
