// The order in which the operands of a product lie in memory: what DeepBench measured in several orders on a V100.
#include <gtest/gtest.h>

#include "cost/data_sets.h"
#include "cost/fit.h"
#include "foreflow/cost/cost.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost::strided_products_test {
namespace {

// A V100 by its data sheet, in 16 bits.
constexpr Hardware kV100{125e12, 900e9, 80, 6e6};

const LawDef& law() { return laws().get("product", "test"); }

size_t place_of(std::string_view name) {
  size_t place = 0;
  while (law().constants[place].name != name) ++place;
  return place;
}

std::vector<double> constants_with(std::string_view name, double value) {
  std::vector<double> constants;
  for (const Constant& constant : law().constants) constants.push_back(constant.start);
  constants[place_of(name)] = value;
  return constants;
}

enum class Order : uint8_t { first_along_k, both_along_k };

Sizes product(double m, double n, double k, Order order) {
  return {m, n, k, 2, 2, 0, 0, 0, 1, order == Order::both_along_k ? 1.0 : 0.0};
}

// How much longer a product takes where constant `name` is 2 instead of 1.
double slowdown(std::string_view name, const Sizes& sizes) {
  return law().seconds(constants_with(name, 2), sizes, kV100) / law().seconds(constants_with(name, 1), sizes, kV100);
}

TEST(StridedOperands, TakeLongerToRead) {
  EXPECT_GT(slowdown("strided", product(7680, 16, 2560, Order::first_along_k)), 1.8);
  EXPECT_EQ(slowdown("strided", {7680, 16, 2560, 2, 2, 0}), 1);  // m runs along the rows
}

TEST(StridedOperands, AreReadAsOthersWhereRowsAreWholeBlocks) {
  EXPECT_EQ(slowdown("strided", product(7680, 16, 2048, Order::first_along_k)), 1);
}

TEST(StridedOperands, AreReadAsOthersFromTheCache) {
  EXPECT_LT(slowdown("strided", product(640, 16, 1536, Order::first_along_k)), 1.01);  // 2 of 6 MB
}

TEST(StridedOperands, SlowArithmeticWhereBothAre) {
  EXPECT_GT(slowdown("strided_step", product(8192, 8192, 2560, Order::both_along_k)), 1.8);
  EXPECT_EQ(slowdown("strided_step", product(8192, 8192, 2560, Order::first_along_k)), 1);
}

TEST(DeepBench, SaysInWhichOrderOperandsLie) {
  const std::string names = "sheet_precision,m,n,k,a_transpose,b_transpose,latency_ms\n";
  const auto order        = [&](const std::string& transposed) {
    const std::string row = "FP16,1024,16,512," + transposed + ",0.01\n";
    const Sizes sizes     = read_data_sets(names + row, "deep_bench.csv", "v100")[0].samples[0].sizes;
    return std::pair(sizes[8], sizes[9]);
  };
  EXPECT_EQ(order("N,N"), std::pair(0.0, 1.0));
  EXPECT_EQ(order("T,N"), std::pair(1.0, 1.0));
  EXPECT_EQ(order("N,T"), std::pair(0.0, 0.0));
}

// Products of which each second one has a first operand along k, and takes twice as long to read it.
std::vector<Sample> in_two_orders() {
  std::vector<Sample> samples;
  for (const double m : {2560, 5120, 7680, 10240}) {
    for (const double k : {1536, 2560, 3584}) {
      const Sizes strided = product(m, 16, k, Order::first_along_k), plain{m, 16, k, 2, 2, 0};
      samples.push_back({strided, law().seconds(constants_with("strided", 2), strided, kV100)});
      samples.push_back({plain, law().seconds(constants_with("strided", 2), plain, kV100)});
    }
  }
  return samples;
}

TEST(Fits, RefineALawWithoutMovingItsOtherConstants) {
  std::vector<Sample> samples = in_two_orders();
  const Fit refined           = fit(law(), kV100, samples);
  for (Sample& sample : samples) sample.sizes[8] = 0;
  const Fit plain = fit(law(), kV100, samples);
  EXPECT_GT(refined.constants[place_of("strided")], 1.3);
  EXPECT_FALSE(plain.determined[place_of("strided")]);
  EXPECT_LT(refined.error, plain.error);
  for (size_t i = 0; i < law().constants.size(); ++i) {
    if (law().constants[i].use == Use::refining || !refined.determined[i] || !plain.determined[i]) continue;
    EXPECT_EQ(refined.constants[i], plain.constants[i]) << law().constants[i].name;
  }
}

// Seconds of x[32,k] w[k,n] in 16 bits.
double seconds_of(const char* name, int64_t n, int64_t k) {
  platform::Device device = platform::device_of(platform::devices().get(name, "test").sheet);
  device.kind             = name;
  const std::vector<ir::Type> inputs{ir::Type::tensor(ir::DType::f16, {32, k}),
                                     ir::Type::tensor(ir::DType::f16, {k, n})};
  const std::vector<ir::Type> outputs{ir::Type::tensor(ir::DType::f16, {32, n})};
  const std::vector<const ir::Array*> known(2, nullptr);
  const ir::Attributes none;
  const Application application{{ops::table().get("MatMul", "test"), none, inputs, known, 1}, outputs};
  const Json parameters = Json::object();
  return cost_models()
      .get("calibrated", "test")
      .make(JsonView(parameters, "s.json"))
      .compute(application, device)
      .time.value();
}

// A weight of 39 MB, which frameworks keep with a row of k for each output. DeepBench: 107 us where rows have 2560
// elements, 57 where n runs along them.
TEST(StridedOperands, CostForwardPassesOfAV100AsMeasured) {
  const double odd = seconds_of("V100-SXM2-16GB", 7680, 2560), blocks = seconds_of("V100-SXM2-16GB", 9600, 2048);
  EXPECT_GT(odd / blocks, 1.4);
  EXPECT_LT(odd / blocks, 1.9);
  EXPECT_NEAR(odd, 107e-6, 0.15 * 107e-6);
}

// Their products were measured in one order.
TEST(StridedOperands, CostNothingWhereNoMeasurementSaysSo) {
  for (const char* device : {"A100-SXM4-80GB", "L40S-48GB"})
    EXPECT_NEAR(seconds_of(device, 7680, 2560) / seconds_of(device, 9600, 2048), 1, 0.1) << device;
}

}  // namespace
}  // namespace foreflow::cost::strided_products_test
