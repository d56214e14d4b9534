// The clock of long runs: products of training and attention on an H100, and on devices that take its laws.
#include <gtest/gtest.h>

#include "cost/fit.h"
#include "foreflow/cost/cost.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost::training_clock_test {
namespace {

// The share of the peak that a product of two matrices of 8192 x 8192 reaches.
double share_of_peak(const char* name, ir::DType dtype) {
  platform::Device device = platform::device_of(platform::devices().get(name, "test").sheet);
  device.kind             = name;
  const ir::Type square   = ir::Type::tensor(dtype, {8192, 8192});
  const std::vector<ir::Type> inputs(2, square), outputs(1, square);
  const std::vector<const ir::Array*> known(2, nullptr);
  const ir::Attributes none;
  const Application product{{ops::table().get("MatMul", "test"), none, inputs, known, 1}, outputs};
  const Json parameters = Json::object();
  const Seconds time =
      cost_models().get("calibrated", "test").make(JsonView(parameters, "s.json")).compute(product, device).time;
  return 2 * 8192.0 * 8192 * 8192 / time.value() / device.peak(ir::short_name(dtype)).value();
}

// 689 to 791 TFLOP/s of 989 were measured of aligned products of 1 ms and more (calibration/measured/h100_sxm.csv).
TEST(TrainingClock, FallsOnAnH100AtItsPowerLimit) {
  EXPECT_GT(share_of_peak("H100-SXM5-80GB", ir::DType::bf16), 0.71);
  EXPECT_LT(share_of_peak("H100-SXM5-80GB", ir::DType::bf16), 0.81);
}

TEST(TrainingClock, StaysWhereTheSameChipDoesLessArithmetic) {
  EXPECT_GT(share_of_peak("H20-96GB", ir::DType::bf16), 0.85);
}

// The share of the peak that causal attention of 16 heads reaches, forward.
double share_in_attention(const char* name, int64_t positions) {
  platform::Device device = platform::device_of(platform::devices().get(name, "test").sheet);
  device.kind             = name;
  const ir::Type heads    = ir::Type::tensor(ir::DType::bf16, {1, 16, positions, 128});
  const std::vector<ir::Type> inputs(3, heads), outputs{heads};
  const std::vector<const ir::Array*> known(3, nullptr);
  const ir::Attributes attributes{{"causal", 1}, {"scale", 0.088}};
  const Application attention{{ops::table().get("BlockAttention", "test"), attributes, inputs, known, 1}, outputs};
  const Json parameters = Json::object();
  const Seconds time =
      cost_models().get("calibrated", "test").make(JsonView(parameters, "s.json")).compute(attention, device).time;
  const double length = static_cast<double>(positions);
  return 2 * length * length * 16 * 128 / time.value() / device.peak("bf16").value();
}

// SimuMax's attention of 16 heads on a B200 takes 18 % more for a flop at 131072 positions than at 32768.
TEST(TrainingClock, FallsInLongAttentionAtThePowerLimit) {
  for (const char* device : {"B200-180GB", "H100-SXM5-80GB"})
    EXPECT_LT(share_in_attention(device, 131072), 0.95 * share_in_attention(device, 32768)) << device;
}

TEST(TrainingClock, StaysInLongAttentionWhereTheSameChipDoesLessArithmetic) {
  EXPECT_GT(share_in_attention("H20-96GB", 131072), share_in_attention("H20-96GB", 32768));
}

// On Hopper products of bytes keep the law that was measured of them.
TEST(TrainingClock, IsNotThatOf16BitsForBytesOnHopper) {
  EXPECT_NE(share_of_peak("H100-SXM5-80GB", ir::DType::f8), share_of_peak("H100-SXM5-80GB", ir::DType::bf16));
}

TEST(TrainingClock, IsAllThatFewSamplesChange) {
  const LawDef& law = laws().get("product", "test");
  const Hardware a100{312e12, 2039e9, 108, 40e6};
  Fit rest;
  for (const Constant& constant : law.constants) rest.constants.push_back(constant.start);
  rest.determined.assign(law.constants.size(), true);
  std::vector<double> truth = rest.constants;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (law.constants[i].use == Use::clock) truth[i] *= 0.9;
  }
  std::vector<Sample> samples;
  for (const double size : {2048, 4096, 6144, 8192, 12288, 16384}) {
    const Sizes sizes{size, 4096, 8192, 2, 2, 0};
    samples.push_back({sizes, law.seconds(truth, sizes, a100)});
  }
  const Fit found = fit_clock(law, a100, samples, rest);
  EXPECT_LT(found.error, 0.005);
  for (size_t i = 0; i < truth.size(); ++i) {
    if (law.constants[i].use != Use::clock) {
      EXPECT_EQ(found.constants[i], rest.constants[i]) << law.constants[i].name;
    }
  }
}

}  // namespace
}  // namespace foreflow::cost::training_clock_test
