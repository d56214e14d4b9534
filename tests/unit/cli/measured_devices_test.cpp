// Files that were measured on different devices, calibrated together.
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::cli::measured_devices_test {
namespace {

constexpr const char* kColumns = "kind,op,dtype,signature,ranks,flops,bytes_read,bytes_written,message_bytes,seconds\n";

class MeasuredDevices : public testing::Test {
 protected:
  // Times of one addition on an A100 and on a V100, and more rows of both.
  test::CommandResult calibrate(const std::string& a100, const std::string& v100) {
    const std::string add = "compute,Add,f32,\"Add(f32[4] f32[4]) -> f32[4]\",1,4,32,16,0,";
    write_file(folder_ / "a.csv",
               "# NVIDIA A100-SXM4-80GB, driver 580\n" + std::string(kColumns) + add + "1e-6\n" + a100);
    write_file(folder_ / "v.csv",
               "# Tesla V100-SXM2-16GB, driver 580\n" + std::string(kColumns) + add + "9e-6\n" + v100);
    return test::run_foreflow({"calibrate", "a.csv", "v.csv", "-o", "c.json"}, folder_.path());
  }

  const test::TemporaryFolder folder_;
};

TEST_F(MeasuredDevices, AreKeptApart) {
  const auto result = calibrate("", "");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json     = parse_json(read_file(folder_ / "c.json"), "c.json");
  const auto families = JsonView(json, "c.json").at("families").items();
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].at("device").as_string(), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(families[0].at("points").items()[0].at("time").as_string(), "1e-06s");
  EXPECT_EQ(families[1].at("device").as_string(), "Tesla V100-SXM2-16GB");
  EXPECT_EQ(families[1].at("points").items()[0].at("time").as_string(), "9e-06s");
}

TEST_F(MeasuredDevices, ShareNoMessageThatBothMeasured) {
  const std::string send = "message,Send,f32,\"Send 1000 B over 2\",2,0,0,0,1000,";
  const auto result      = calibrate(send + "6e-06\n", send + "9e-06\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            "foreflow: error: v.csv: has times of \"Send 1000 B over 2\" on Tesla V100-SXM2-16GB, and a.csv on NVIDIA "
            "A100-SXM4-80GB; leave the messages of one of them out, or calibrate each file alone\n");
  EXPECT_EQ(calibrate(send + "6e-06\n", "").exit_code, 0);
}

}  // namespace
}  // namespace foreflow::cli::measured_devices_test
