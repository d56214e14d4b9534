// The calibrations of devices that come with Foreflow: derived again from the measurements, byte for byte, and as good
// as the README says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "foreflow/cost/device_calibration.h"
#include "support/shared.h"

namespace foreflow::published::calibrations_test {
namespace {

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FOREFLOW_SOURCE_DIR "/calibration/devices"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string path_of(const std::string& name) {
  return std::string(FOREFLOW_SOURCE_DIR) + "/calibration/devices/" + name + ".json";
}

cost::DeviceCalibration read(const std::string& name) {
  const Json json = parse_json(read_file(path_of(name)), path_of(name));
  return cost::device_calibration(JsonView(json, path_of(name)));
}

class Calibration : public testing::TestWithParam<std::string> {};

TEST_P(Calibration, IsDerivedAgainByteForByte) {
  const auto calibration = read(GetParam());
  FOREFLOW_SHARED_OR_SKIP(data, "data");
  const auto again = cost::calibrate_device(calibration.device, calibration.files,
                                            {data.string(), FOREFLOW_SOURCE_DIR "/calibration"});
  EXPECT_EQ(cost::to_json(again).dump(), read_file(path_of(GetParam())));
}

// Where cuBLAS cuts k on an L40S jumps between neighbours, and eight of its cards meet over two sockets.
double target_of(const std::string& device, const cost::FittedLaw& law) {
  if (law.of == "normalisation") return 0.17;  // seven sizes of two kinds of kernels, one of which sums twice
  if (law.law == "product") return device == "l40s" && law.of == "bf16" ? 0.105 : device == "v100" ? 0.08 : 0.09;
  if (law.law == "attention") return 0.10;
  return device == "l40s" ? 0.18 : 0.09;
}

TEST_P(Calibration, IsWithinItsTargetsOnWhatItWasNotFittedTo) {
  for (const cost::FittedLaw& law : read(GetParam()).laws)
    EXPECT_LT(law.held_out, target_of(GetParam(), law)) << law.law << " " << law.of;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Calibration, testing::ValuesIn(shipped()));

}  // namespace
}  // namespace foreflow::published::calibrations_test
