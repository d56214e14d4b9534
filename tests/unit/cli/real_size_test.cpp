// Questions of the size that people ask: models of 8 to 405 billion parameters on 64 to 16,384 GPUs, and many
// microbatches. Each is answered within 300 MB of memory.
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::cli::real_size_test {
namespace {

struct Question {
  std::string name, workload, platform, strategy;
  int64_t devices;
};
std::ostream& operator<<(std::ostream& out, const Question& question) { return out << question.name; }

class RealSize : public testing::TestWithParam<Question> {};

TEST_P(RealSize, IsAnsweredWithinTheMemoryOfASmallMachine) {
  const auto& [name, workload, platform, strategy, devices] = GetParam();
  const test::TemporaryFolder folder;
  write_file(folder / "question.json", R"({"workload": {"mode": "training", "optimizer": "adam", )" + workload +
                                           R"(}, "platform": {)" + platform + R"(}, "strategy": {)" + strategy +
                                           R"(}, "cost": {"model": "roofline"}, "engine": "simgrid"})");
  const test::CommandResult result =
      test::run_foreflow({"simulate", "question.json", "--json", "-", "--timing"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  const JsonView answer(json, "stdout");
  EXPECT_GT(answer.at("iteration_time_s").as_number(), 0.1);
  EXPECT_LT(answer.at("mfu").as_number(), 1);
  int64_t told = 0;
  for (const JsonView& device : answer.at("devices").items()) told += device.at("count").as_int();
  EXPECT_EQ(told, devices);
  EXPECT_LE(answer.at("devices").items().size(), 64U);
#ifndef __SANITIZE_ADDRESS__  // which needs memory of its own
  constexpr double kCeiling = 300e6;
  EXPECT_LT(answer.at("peak_rss_bytes").as_number(), kCeiling);
#endif
}

const std::string kH100 = R"("topology": "dgx_h100", "nodes": )", kA100 = R"("topology": "dgx_a100", "nodes": )";

INSTANTIATE_TEST_SUITE_P(
    Questions, RealSize,
    testing::Values(
        Question{"llama3_8b_64_h100", R"("model": "llama3-8b", "dtype": "bf16", "sequence": 8192)", kH100 + "8",
                 R"("microbatch_size": 1, "dp": 64, "zero": 3, "global_batch": 256, "recompute": "full")", 64},
        Question{"llama3_70b_512_h100", R"("model": "llama3-70b", "dtype": "bf16", "sequence": 4096)", kH100 + "64",
                 R"("microbatch_size": 1, "dp": 16, "tp": 8, "pp": 4, "global_batch": 512, "recompute": "selective",
                    "sequence_parallel": true, "zero": 1, "overlap_gradients": true)",
                 512},
        Question{"gpt3_175b_1024_a100", R"("model": "gpt3-175b", "dtype": "f16", "sequence": 2048)", kA100 + "128",
                 R"("microbatch_size": 1, "dp": 16, "tp": 8, "pp": 8, "global_batch": 1536)", 1024},
        Question{"gpt3_175b_2048_a100_1024_microbatches", R"("model": "gpt3-175b", "dtype": "f16", "sequence": 2048)",
                 kA100 + "256", R"("microbatch_size": 1, "dp": 32, "tp": 8, "pp": 8, "global_batch": 32768, "zero": 1)",
                 2048},
        Question{
            "gpt3_175b_2048_a100_zero3", R"("model": "gpt3-175b", "dtype": "f16", "sequence": 2048)", kA100 + "256",
            R"("microbatch_size": 1, "dp": 256, "tp": 8, "global_batch": 8192, "zero": 3, "recompute": "full")", 2048},
        Question{"llama3_405b_8192_h100", R"("model": "llama3-405b", "dtype": "bf16", "sequence": 8192)",
                 kH100 + R"(1024, "fabric": "rail_optimized")",
                 R"("microbatch_size": 1, "dp": 64, "tp": 8, "pp": 16, "global_batch": 1024, "recompute": "full",
                    "sequence_parallel": true, "zero": 1)",
                 8192},
        Question{"mixtral_8x22b_512_h100", R"("model": "mixtral-8x22b", "dtype": "bf16", "sequence": 4096)",
                 kH100 + "64", R"("microbatch_size": 1, "dp": 128, "pp": 4, "ep": 8, "global_batch": 1024, "zero": 1)",
                 512},
        Question{"small_gpt_50000_microbatches",
                 R"("model": "gpt", "dtype": "bf16", "layers": 8, "hidden": 512, "heads": 8, "sequence": 256,
                    "vocabulary": 1024)",
                 kA100 + "1", R"("microbatch_size": 1, "pp": 8, "global_batch": 50000)", 8}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::cli::real_size_test
