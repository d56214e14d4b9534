// What training keeps for each parameter: the peak of one device whose weights are nearly all that it holds.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::optimizer_memory_test {
namespace {

constexpr double kLayers = 16, kHidden = 1024, kParameters = kLayers * kHidden * kHidden;

// Bytes for each parameter at the peak, of all devices together.
double bytes_each(const std::string& workload, const std::string& strategy = R"({"global_batch": 8})") {
  const std::string text = R"({"workload": {"model": "mlp", "layers": 16, "hidden": 1024, )" + workload +
                           R"(}, "platform": {"topology": "dgx2"}, "engine": "analytic", "strategy": )" + strategy +
                           "}";
  double bytes = 0;
  for (const auto& device : run(load(parse_json(text, "mlp.json"), "mlp.json")).summary.devices)
    bytes += static_cast<double>(device.count()) * device.peak_memory.value();
  return bytes / kParameters;
}

constexpr double kActivations = 0.2;  // activations of eight samples, at most

// Parameter + gradient + states.
TEST(OptimizerMemory, OfFloat32IsTheStatesInFloat32) {
  EXPECT_NEAR(bytes_each(R"("dtype": "f32", "optimizer": "sgd")"), 4 + 4, kActivations);
  EXPECT_NEAR(bytes_each(R"("dtype": "f32", "optimizer": "momentum")"), 4 + 4 + 4, kActivations);
  EXPECT_NEAR(bytes_each(R"("dtype": "f32", "optimizer": "adam")"), 4 + 4 + 4 + 4, kActivations);
}

TEST(OptimizerMemory, OfShortFloatsHoldsMasterWeightsAndStatesInFloat32) {
  for (const std::string dtype : {"f16", "bf16"}) {
    EXPECT_NEAR(bytes_each(R"("optimizer": "momentum", "dtype": ")" + dtype + '"'), 2 + 2 + 4 + 4, kActivations)
        << dtype;
    for (const std::string adam : {"adam", "adamw"})
      EXPECT_NEAR(bytes_each(R"("optimizer": ")" + adam + R"(", "dtype": ")" + dtype + '"'), 2 + 2 + 4 + 4 + 4,
                  kActivations)
          << dtype;
  }
}

TEST(OptimizerMemory, OfMasterWeightsIsAsTheScenarioSays) {
  EXPECT_NEAR(bytes_each(R"("dtype": "f16", "optimizer": "sgd")"), 2 + 2, kActivations);
  EXPECT_NEAR(bytes_each(R"("dtype": "f16", "optimizer": "sgd", "master_weights": true)"), 2 + 2 + 4, kActivations);
  EXPECT_NEAR(bytes_each(R"("dtype": "f16", "optimizer": "adam", "master_weights": false)"), 2 + 2 + 2 + 2,
              kActivations);
}

// Beside the sums over microbatches live the gradients of the layer that is added to them.
TEST(OptimizerMemory, OfFloatGradientsIsThatOfMegatron) {
  const std::string bf16 = R"("dtype": "bf16", "optimizer": "adam", "float_gradients": true)";
  EXPECT_NEAR(bytes_each(bf16), 2 + 4 + 4 + 4 + 4, 2 / kLayers + kActivations);
  EXPECT_NEAR(bytes_each(bf16, R"({"microbatches": 4, "global_batch": 8})"), 2 + 4 + 4 + 4 + 4,
              (2 + 3 * 4) / kLayers + kActivations);
}

TEST(OptimizerMemory, IsSplitByTensorAndPipelineParallelismAndRepeatedByReplicas) {
  const std::string adam = R"("dtype": "f16", "optimizer": "adam")";
  EXPECT_NEAR(bytes_each(adam, R"({"tp": 4, "global_batch": 8})"), 16, kActivations);
  EXPECT_NEAR(bytes_each(adam, R"({"dp": 2, "global_batch": 8})"), 2 * 16, kActivations);
  // On each of the four stages the gradient of one layer is added to a sum.
  EXPECT_NEAR(bytes_each(adam, R"({"pp": 4, "microbatches": 2, "global_batch": 8})"), 16,
              4 * (2 + 2) / kLayers + kActivations);
}

TEST(OptimizerMemory, OfWideWeightsHasNoMasterWeights) {
  try {
    bytes_each(R"("dtype": "f32", "master_weights": true)");
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "mlp.json: $.workload.master_weights: is for dtype f16, bf16 or f8; weights of f32 need none");
  }
}

}  // namespace
}  // namespace foreflow::scenario::optimizer_memory_test
