#include "cost/measured_on.h"

#include <gtest/gtest.h>

#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost::measured_on_test {
namespace {

platform::Device device(const char* name) { return platform::device_of(platform::devices().get(name, "test").sheet); }

// A product of 2 PFLOP in 4 s: 500 TFLOP/s. An addition of 3 GB in 1 ms: 3 TB/s.
Calibration products_and_additions() {
  const Family add{"Add", "f32", 1, {}, {{"Add", Flops(0.25e9), Bytes(3e9), Seconds(1e-3)}}};
  const Family product{"MatMul", "bf16", 1, {}, {{"MatMul", Flops(2e15), Bytes(1e6), Seconds(4)}}};
  const Family sums{"MPIAllreduce", "f32", 8, {}, {{"MPIAllreduce", Flops(0), Bytes(1e9), Seconds(1e-9)}}};
  return {{add, sums, product}};
}

TEST(AssumptionOfTimes, IsNoneOnTheDeviceThatWasMeasured) {
  EXPECT_EQ(assumption_of_times(products_and_additions(), "NVIDIA H100 80GB HBM3", device("H100-SXM5-80GB")), "");
  EXPECT_EQ(assumption_of_times({}, "NVIDIA H100 80GB HBM3", device("H100-SXM5-80GB")), "");
}

TEST(AssumptionOfTimes, NamesBothDevices) {
  EXPECT_EQ(assumption_of_times({}, "NVIDIA H100 80GB HBM3", device("V100-SXM2-16GB")),
            "times that were measured on NVIDIA H100 80GB HBM3 are taken for V100-SXM2-16GB");
  EXPECT_EQ(assumption_of_times({}, "NVIDIA H100 PCIe", device("H100-SXM5-80GB")),
            "times that were measured on NVIDIA H100 PCIe are taken for H100-SXM5-80GB");
}

// Times of which nobody knows which device each was measured on, and times that say it.
TEST(AssumptionOfTimes, IsOfSeveralDevicesUnlessEachFamilyStatesItsOwn) {
  const std::string both = "NVIDIA H100 80GB HBM3, Tesla V100-SXM2-16GB";
  EXPECT_EQ(assumption_of_times({}, both, device("V100-SXM2-16GB")),
            "times that were measured on " + both + " are taken for V100-SXM2-16GB");
  Calibration stated = products_and_additions();
  for (Family& family : stated.families) family.device = "H100-SXM5-80GB";
  EXPECT_EQ(assumption_of_times(stated, both, device("V100-SXM2-16GB")), "");
  EXPECT_EQ(assumption_of_times(stated, both, device("H100-PCIE-80GB")), "");
  EXPECT_EQ(assumption_of_times(stated, both, device("H100-SXM5-80GB")), "");
}

TEST(AssumptionOfTimes, NamesNoDeviceWithoutADataSheet) {
  platform::Device own = device("V100-SXM2-16GB");
  EXPECT_EQ(assumption_of_times({}, "", own), "");
  EXPECT_EQ(assumption_of_times({}, "CPU", own), "");
  own.kind = "my chip";
  EXPECT_EQ(assumption_of_times({}, "NVIDIA H100 80GB HBM3", own), "");
}

TEST(AssumptionOfTimes, CountsTimesThatThePeaksDoNotAllow) {
  EXPECT_EQ(assumption_of_times(products_and_additions(), "NVIDIA H100 80GB HBM3", device("V100-SXM2-16GB")),
            "times that were measured on NVIDIA H100 80GB HBM3 are taken for V100-SXM2-16GB; 2 of 2 measured times are "
            "shorter than the peaks of V100-SXM2-16GB allow");
  EXPECT_EQ(assumption_of_times(products_and_additions(), "", device("H100-PCIE-80GB")),
            "1 of 2 measured times is shorter than the peaks of H100-PCIE-80GB allow");
}

// 400 TFLOP/s: products in f32 may have run in TF32, of 494.5 on an H100, and products marked as fp8 at 1979.
TEST(AssumptionOfTimes, AllowsTheFastestUnits) {
  const auto with = [](const char* dtype, const char* signature, double seconds) {
    return Calibration{{{"MatMul", dtype, 1, {}, {{signature, Flops(4e14), Bytes(1e6), Seconds(seconds)}}}}};
  };
  EXPECT_EQ(assumption_of_times(with("f32", "MatMul", 1), "", device("H100-SXM5-80GB")), "");
  EXPECT_EQ(assumption_of_times(with("bf16", "MatMul{fp8=1}", 0.25), "", device("H100-SXM5-80GB")), "");
  EXPECT_NE(assumption_of_times(with("bf16", "MatMul", 0.25), "", device("H100-SXM5-80GB")), "");
}

}  // namespace
}  // namespace foreflow::cost::measured_on_test
