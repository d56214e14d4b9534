// Products in f32 on the units of TF32 (cost.tf32), which A100 and later have.
#include <gtest/gtest.h>

#include "foreflow/cost/cost.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost::tf32_test {
namespace {

platform::Device sheet_of(const char* name) {
  platform::Device sheet = platform::device_of(platform::devices().get(name, "test").sheet);
  sheet.kind             = name;
  return sheet;
}

// Products of square matrices: one of MatMul, two of MatMulGrad.
double seconds_of(const char* op, const platform::Device& device, bool tf32, ir::DType dtype) {
  const bool gradient   = std::string_view(op) == "MatMulGrad";
  const ir::Type square = ir::Type::tensor(dtype, {8192, 8192});
  const std::vector<ir::Type> inputs(gradient ? 3 : 2, square), outputs(gradient ? 2 : 1, square);
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const ir::Attributes none;
  const Json parameters = Json::object().set("tf32", tf32);
  const Application application{{ops::table().get(op, "test"), none, inputs, known, 1}, outputs};
  return cost_models()
      .get("calibrated", "test")
      .make(JsonView(parameters, "s.json"))
      .compute(application, device)
      .time.value();
}

double seconds(const platform::Device& device, bool tf32, ir::DType dtype = ir::DType::f32) {
  return seconds_of("MatMul", device, tf32, dtype);
}

TEST(Tf32, GivesLargeProductsHalfTheRateOfBf16) {
  for (const char* name : {"A100-SXM4-80GB", "H100-SXM5-80GB"}) {
    const platform::Device device = sheet_of(name);
    const double rates            = device.peak("bf16") / device.peak("tf32");
    EXPECT_DOUBLE_EQ(rates, 2) << name;
    EXPECT_NEAR(seconds(device, true) / seconds(device, true, ir::DType::bf16), rates, 0.05 * rates) << name;
  }
}

TEST(Tf32, FollowsThePeakOfTheDevice) {
  platform::Device device = sheet_of("H100-SXM5-80GB");
  const double before     = seconds(device, true);
  device.peaks["tf32"]    = 0.5 * device.peaks["tf32"];
  EXPECT_NEAR(seconds(device, true) / before, 2, 0.1);
}

TEST(Tf32, ChangesNothingWithoutTheUnitsOrForOtherTypes) {
  EXPECT_EQ(seconds(sheet_of("V100-SXM2-16GB"), true), seconds(sheet_of("V100-SXM2-16GB"), false));
  const platform::Device device = sheet_of("H100-SXM5-80GB");
  EXPECT_EQ(seconds(device, true, ir::DType::bf16), seconds(device, false, ir::DType::bf16));
  EXPECT_LT(seconds(device, true), seconds(device, false));
}

// cost/tf32_products.h: Hopper transposes operands of gradients, Ampere and Blackwell need not.
TEST(Tf32, SlowsGradientsOnHopperAlone) {
  const auto gradient = [](const platform::Device& device) {
    return seconds_of("MatMulGrad", device, true, ir::DType::f32) / (2 * seconds(device, true));
  };
  for (const char* name : {"A100-SXM4-80GB", "B200-180GB"}) EXPECT_NEAR(gradient(sheet_of(name)), 1, 0.05) << name;
  for (const char* name : {"H100-SXM5-80GB", "GH200-96GB"})
    EXPECT_NEAR(gradient(sheet_of(name)), 1 / 0.63, 0.08) << name;
  const platform::Device device = sheet_of("GH200-96GB");
  EXPECT_NEAR(seconds_of("MatMulGrad", device, true, ir::DType::bf16) / (2 * seconds(device, true, ir::DType::bf16)), 1,
              0.05);
}

}  // namespace
}  // namespace foreflow::cost::tf32_test
