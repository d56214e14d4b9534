// A device with other numbers than its data sheet has: it keeps the laws of its kernels, which are shares of the sheet.
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::cost::changed_device_test {
namespace {

struct Answer {
  double seconds, roofline;  // of an iteration; the share of its time that rests on data sheets alone
};

// Llama-3 8B under torchtitan, with changes of the device.
Answer predicted(const std::vector<std::string>& changes) {
  const test::TemporaryFolder folder;
  std::vector<std::string> words = {"simulate", FOREFLOW_SOURCE_DIR "/scenarios/frameworks/llama3_8b_torchtitan.json",
                                    "--json", "-"};
  for (const std::string& change : changes) words.insert(words.end(), {"--set", "platform.device." + change});
  const test::CommandResult result = test::run_foreflow(words, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  const JsonView answer(json, "stdout");
  return {answer.at("iteration_time_s").as_number(), answer.at("cost_provenance").at("roofline").as_number()};
}

TEST(ChangedDevice, KeepsItsLaws) {
  const Answer usual = predicted({});
  for (const char* change : {"memory_bandwidth=2.4TBps", "memory_bandwidth=4.8TBps", "peak_bf16=1500Tf"})
    EXPECT_NEAR(predicted({change}).roofline, usual.roofline, 0.01) << change;
}

TEST(ChangedDevice, IsSlowerWithLessAndFasterWithMore) {
  const double usual = predicted({}).seconds, narrow = predicted({"memory_bandwidth=2.4TBps"}).seconds,
               wide = predicted({"memory_bandwidth=4.8TBps"}).seconds, strong = predicted({"peak_bf16=1500Tf"}).seconds;
  EXPECT_GT(narrow, 1.03 * usual);
  EXPECT_LT(narrow, 3.35 / 2.4 * usual);
  EXPECT_LT(wide, 0.99 * usual);
  EXPECT_LT(strong, 0.9 * usual);
  EXPECT_GT(strong, 989.0 / 1500 * usual);
}

}  // namespace
}  // namespace foreflow::cost::changed_device_test
