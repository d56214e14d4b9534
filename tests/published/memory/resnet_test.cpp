// Memory of training steps of ResNet-50 against what was measured for Foreflow on one H200 (tests/data/h200).
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::published::resnet_memory_test {
namespace {

struct Step {
  int batch;
  const char* dtype;
  double peak;  // bytes, of torch.cuda.max_memory_allocated
};

// ReLUs keep their results alone: with their operands it would be 31 to 40 % too much. Not there are the indices that
// max pooling keeps (8 bytes for each of 64 x 56 x 56 numbers of a sample, 3 %) and, under autocast, the Float32 of
// weights, gradients and states.
TEST(ResNetMemory, IsNearWhatPyTorchAllocates) {
  for (const Step& step : {Step{64, "bf16", 3214714880},
                           {128, "bf16", 6087879168},
                           {256, "bf16", 11813826048},
                           {128, "f32", 11396715520}}) {
    const std::string text = std::string(R"({"workload": {"model": "resnet50", "mode": "training",
      "optimizer": "momentum", "dtype": ")") +
                             step.dtype + R"("}, "platform": {"topology": "dgx_h200", "nodes": 1},
      "cost": {"model": "roofline"}, "engine": "analytic", "strategy": {"global_batch": )" +
                             std::to_string(step.batch) + "}}";
    const scenario::Outcome outcome = scenario::run(scenario::load(parse_json(text, "resnet"), "resnet"));
    EXPECT_NEAR(outcome.summary.devices[0].peak_memory.value() / step.peak, 1, 0.08) << step.batch << " " << step.dtype;
  }
}

}  // namespace
}  // namespace foreflow::published::resnet_memory_test
