// What measured products of bytes contain beside the product itself, which inference in fp8 does not pay for twice.
#include <gtest/gtest.h>

#include "foreflow/cost/cost.h"
#include "foreflow/cost/signature.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost::fp8_inference_test {
namespace {

ir::Attributes fp8(int64_t converted, bool inference) {
  ir::Attributes attributes{{std::string(ir::kFp8), converted}};
  if (inference) attributes.set(std::string(ir::kFp8Inference), int64_t{1});
  return attributes;
}

// The time of a decoded product, x[16,8192] * w[8192,1024], in microseconds.
double microseconds(const char* name, const ir::Attributes& attributes) {
  platform::Device device = platform::device_of(platform::devices().get(name, "test").sheet);
  device.kind             = name;
  const std::vector<ir::Type> inputs{ir::Type::tensor(ir::DType::bf16, {16, 8192}),
                                     ir::Type::tensor(ir::DType::bf16, {8192, 1024})};
  const std::vector<ir::Type> outputs{ir::Type::tensor(ir::DType::bf16, {16, 1024})};
  const std::vector<const ir::Array*> known(2, nullptr);
  const Application product{{ops::table().get("MatMul", "test"), attributes, inputs, known, 1}, outputs};
  const Json parameters = Json::object();
  const CostModel model = cost_models().get("calibrated", "test").make(JsonView(parameters, "s.json"));
  return model.compute(product, device).time.value() * 1e6;
}

// Launches in calibration/devices: 11.54 us of bytes and 2.55 us of 16 bits on an H100, 11.34 and 2.593 on an H200. A
// longer call is a little slower.
TEST(Fp8Inference, LeavesOutTheLaunchesOfMeasuredConversions) {
  for (const int64_t converted : {-1, 0}) {
    const auto saved = [&](const char* device) {
      return microseconds(device, fp8(converted, false)) - microseconds(device, fp8(converted, true));
    };
    EXPECT_NEAR(saved("H100-SXM5-80GB"), 11.54 - 2.55, 0.2);
    EXPECT_NEAR(saved("H200-SXM5-141GB"), 11.34 - 2.593, 0.2);
    EXPECT_GT(saved("L40S-48GB"), 5);
  }
}

TEST(Fp8Inference, PaysForOneConversionOfEachActivation) {
  const double converted = microseconds("H100-SXM5-80GB", fp8(-1, true));
  EXPECT_NEAR(microseconds("H100-SXM5-80GB", fp8(0, true)), converted + 2, 1e-3) << "the shortest kernel takes 2 us";
  EXPECT_LT(converted, microseconds("H100-SXM5-80GB", {})) << "half of the weights' bytes are read";
}

TEST(Fp8Inference, IsNoPartOfTheSignatureOfMeasuredTimes) {
  const std::vector<ir::Type> inputs(2, ir::Type::tensor(ir::DType::bf16, {16, 16}));
  const std::vector<const ir::Array*> known(2, nullptr);
  const ir::Attributes serving = fp8(0, true), training = fp8(0, false);
  const auto of = [&](const ir::Attributes& attributes) {
    return signature({ops::table().get("MatMul", "test"), attributes, inputs, known, 1}, {inputs.data(), 1});
  };
  EXPECT_EQ(of(serving), of(training));
}

}  // namespace
}  // namespace foreflow::cost::fp8_inference_test
