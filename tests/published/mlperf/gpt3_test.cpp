// GPT-3 175B on 512 H100 in fp8 against the logs of MLPerf Training 3.0 and 3.1 (README.md beside this file).
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::mlperf_gpt3_test {
namespace {

Seconds predicted(const std::string& version, const std::vector<std::string>& overrides = {}) {
  const std::string path = FOREFLOW_SOURCE_DIR "/scenarios/frameworks/gpt3_175b_nemo_" + version + ".json";
  return scenario::run(scenario::load_file(path, overrides)).summary.iteration_time;
}

TEST(MlperfGpt3, IterationsOfBothRoundsAreWithinFourPercentAndTakeThreeTenthsLongerInBf16) {
  EXPECT_NEAR(predicted("23_04").value(), 12.076862, 0.04 * 12.076862);
  const Seconds in_fp8 = predicted("23_09");
  EXPECT_NEAR(in_fp8.value(), 11.05196, 0.04 * 11.05196);
  EXPECT_GT(predicted("23_09", {"workload.dtype=bf16"}) / in_fp8, 1.3);
}

}  // namespace
}  // namespace foreflow::mlperf_gpt3_test
