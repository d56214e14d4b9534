// A calibration of what calibration/profile.py measured on one H100 and one H200 (calibration/measured).
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "support/command.h"
#include "support/data.h"
#include "support/temporary.h"

namespace foreflow::cli::measured_device_test {
namespace {

// Seconds of all products of an iteration on the average device. Measured alone, so without the processors that
// collectives beside them take.
double products_by(const std::string& model, const std::string& device, const test::TemporaryFolder& folder) {
  const test::CommandResult result =
      test::run_foreflow({"simulate", FOREFLOW_SOURCE_DIR "/scenarios/frameworks/llama3_8b_torchtitan.json", "--set",
                          "platform.topology=dgx_" + device, "--set", "cost.model=" + model, "--set",
                          "collective.channels=0", "--json", "-"},
                         folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  double sum      = 0;
  for (const JsonView& op : JsonView(json, "stdout").at("ops").items()) {
    if (op.at("family").as_string() == "matrix multiply") sum += op.at("time_s").as_number();
  }
  return sum;
}

// Products of Llama-3 8B under torchtitan were in the list that was measured.
struct Measured {
  std::string device;
  double tolerance;
};
std::ostream& operator<<(std::ostream& out, const Measured& measured) { return out << measured.device; }

class MeasuredDevice : public testing::TestWithParam<Measured> {};

TEST_P(MeasuredDevice, MultipliesMatricesAsFastAsItsCalibrationSays) {
  const auto& [device, tolerance] = GetParam();
  const test::TemporaryFolder folder;
  const test::CommandResult made = test::run_foreflow(
      {"calibrate", FOREFLOW_SOURCE_DIR "/calibration/measured/" + device + "_sxm.csv", "-o", "own.json"},
      folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("766 measurements, 766 distinct"), std::string::npos) << made.out;
  const double measured = products_by(folder / "own.json", device, folder),
               shipped  = products_by("calibrated", device, folder);
  EXPECT_GT(measured, 1);
  EXPECT_NEAR(shipped / measured, 1, tolerance);
}

// The clock of the H100's law was fitted to 36 of these products alone; nothing of the H200's was.
INSTANTIATE_TEST_SUITE_P(Hopper, MeasuredDevice, testing::Values(Measured{"h100", 0.03}, Measured{"h200", 0.03}),
                         [](const auto& info) { return info.param.device; });

}  // namespace
}  // namespace foreflow::cli::measured_device_test
