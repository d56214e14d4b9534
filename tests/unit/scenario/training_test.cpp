// Imported forward-only models as training programs: a loss, gradients, an optimizer, then the chain as for any other.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"
#include "support/shared.h"

namespace foreflow::scenario::training_test {
namespace {

Scenario scenario(const std::string& workload, const std::string& mode, const std::string& strategy = "{}") {
  const std::string text = R"({"workload": {"onnx": )" + workload + R"(, "mode": ")" + mode +
                           R"("}, "platform": {"topology": "dgx2"}, "engine": "analytic", "strategy": )" + strategy +
                           "}";
  return load(parse_json(text, "s.json"), "s.json");
}

double flops(const std::string& workload, const std::string& mode) {
  return build(scenario(workload, mode)).model_flops.value();
}

TEST(Training, CostsThreeTimesTheConvolutionsOfAnImportedResNet) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/light_resnet50.onnx");
  const std::string workload = "\"" + model.string() + R"(", "loss": "cross_entropy", "optimizer": "sgd")";
  const double ratio         = flops(workload, "training") / flops(workload, "inference");
  EXPECT_GT(ratio, 2.9);  // the first convolution's image needs no gradient: 1.5% of all
  EXPECT_LT(ratio, 3.1);
  const Outcome outcome = run(scenario(workload, "training"));
  EXPECT_GT(outcome.summary.iteration_time.value(),
            run(scenario(workload, "inference")).summary.iteration_time.value());
}

TEST(Training, TakesTheInputsOfAnImportedLayerAsItsWeights) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/llama_fwd_small.onnx");
  const std::string weights =
      R"("weights": "input0|input1|input2|input3|input4|input5|input6|input7|input8|input9|input10")";
  const std::string workload = "\"" + model.string() + R"(", "loss": "mean_square", "optimizer": "adam", )" + weights;
  const double ratio         = flops(workload, "training") / flops(workload, "inference");
  EXPECT_GT(ratio, 2.5);
  EXPECT_LT(ratio, 3.5);
  EXPECT_GT(run(scenario(workload, "training")).summary.iteration_time.value(), 0);
}

TEST(Training, CutsAnImportedBertIntoStages) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/bert_mlm_vespa.onnx");
  const std::string workload =
      "\"" + model.string() +
      R"(", "shapes": {"input_ids": [4, 16], "attention_mask": [4, 16], "token_type_ids": [4, 16]}, )"
      R"("loss": "cross_entropy", "optimizer": "adam")";
  EXPECT_GT(run(scenario(workload, "training")).summary.iteration_time.value(), 0);
  EXPECT_GT(run(scenario(workload, "training", R"({"pp": 2, "microbatches": 1})")).summary.iteration_time.value(), 0);
}

TEST(Training, NamesAnUnknownLoss) {
  try {
    scenario(R"("model.onnx", "loss": "hinge")", "training");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "s.json: $.workload.loss: unknown loss \"hinge\"; use cross_entropy, mean_square or sum");
  }
}

}  // namespace
}  // namespace foreflow::scenario::training_test
