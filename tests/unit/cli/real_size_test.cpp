// Questions of the size that people ask: models of 8 to 405 billion parameters on 64 to 131,072 GPUs, and many
// microbatches. Each is answered within 300 MB of memory.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/sanitized.h"
#include "support/shared.h"
#include "support/temporary.h"

namespace foreflow::cli::real_size_test {
namespace {

struct Question {
  std::string name, workload, platform, strategy;
  int64_t devices;
};
std::ostream& operator<<(std::ostream& out, const Question& question) { return out << question.name; }

std::string text_of(const Question& question) {
  return R"({"workload": {"mode": "training", "optimizer": "adam", )" + question.workload + R"(}, "platform": {)" +
         question.platform + R"(}, "strategy": {)" + question.strategy +
         R"(}, "cost": {"model": "roofline"}, "engine": "simgrid"})";
}

constexpr double kCeiling = test::kSanitized ? 1e12 : 300e6;

class RealSize : public testing::TestWithParam<Question> {};

TEST_P(RealSize, IsAnsweredWithinTheMemoryOfASmallMachine) {
  const int64_t devices = GetParam().devices;
  const test::TemporaryFolder folder;
  write_file(folder / "question.json", text_of(GetParam()));
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
  EXPECT_LE(answer.at("devices").items().size(), 72U);
  EXPECT_LT(answer.at("peak_rss_bytes").as_number(), kCeiling);
}

const std::string kH100 = R"("topology": "dgx_h100", "nodes": )", kA100 = R"("topology": "dgx_a100", "nodes": )";

const std::string kLlama405b         = R"("model": "llama3-405b", "dtype": "bf16", "sequence": 8192)";
const std::string kLlama405bMachine  = kH100 + R"(2048, "fabric": "rail_optimized")";
const std::string kLlama405bStrategy = R"("microbatch_size": 1, "dp": 128, "tp": 8, "pp": 16, "global_batch": 2048,
    "recompute": "full", "sequence_parallel": true, "vocabulary_parallel": true, "zero": 1, "overlap_gradients": true)";

// The first device of the second stage, its neighbours, and the last device of all.
TEST(RealSizeTrace, OfAFewDevicesHasThemAndNoOthers) {
  const test::TemporaryFolder folder;
  write_file(folder / "question.json", text_of({"", kLlama405b, kLlama405bMachine, kLlama405bStrategy, 0}));
  const test::CommandResult result =
      test::run_foreflow({"simulate", "question.json", "--json", "-", "--timing", "--devices", "D1,D9-D10,D16384",
                          "--trace", "trace.json", "--csv", "items.csv", "--svg", "picture.svg"},
                         folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  EXPECT_LT(JsonView(json, "stdout").at("peak_rss_bytes").as_number(), kCeiling);
  EXPECT_EQ(JsonView(json, "stdout").at("devices").items().size(), 4U);

  const Json trace = parse_json(read_file(folder / "trace.json"), "trace.json");
  std::set<std::string> processes;
  std::map<int64_t, std::set<int64_t>> ends;  // of arrows between devices
  for (const JsonView& event : JsonView(trace, "trace.json").at("traceEvents").items()) {
    const std::string phase = event.at("ph").as_string();
    if (phase == "M" && event.at("name").as_string() == "process_name")
      processes.insert(event.at("args").at("name").as_string());
    if (phase == "s" || phase == "f") ends[event.at("id").as_int()].insert(event.at("pid").as_int());
  }
  EXPECT_EQ(processes, (std::set<std::string>{"D1 (node0-gpu0)", "D10 (node1-gpu1)", "D16384 (node2047-gpu7)",
                                              "D9 (node1-gpu0)", "busiest links"}));
  std::set<std::set<int64_t>> pairs;
  for (const auto& [arrow, devices] : ends) {
    if (devices.size() > 1) pairs.insert(devices);
  }
  EXPECT_EQ(pairs, (std::set<std::set<int64_t>>{{1, 9}}));  // of four, these two are neighbours in a pipeline

  std::set<std::string> rows;
  for (const std::string& line : split(read_file(folder / "items.csv"), '\n'))
    rows.insert(line.substr(0, line.find(',')));
  EXPECT_EQ(rows, (std::set<std::string>{"", "D1", "D10", "D16384", "D9", "device"}));
  for (const std::string name : {">D1<", ">D9<", ">D10<", ">D16384<"})
    EXPECT_NE(read_file(folder / "picture.svg").find(name), std::string::npos) << name;
}

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
        Question{"llama3_405b_16384_h100", kLlama405b, kLlama405bMachine, kLlama405bStrategy, 16384},
        Question{"mixtral_8x22b_512_h100", R"("model": "mixtral-8x22b", "dtype": "bf16", "sequence": 4096)",
                 kH100 + "64", R"("microbatch_size": 1, "dp": 128, "pp": 4, "ep": 8, "global_batch": 1024, "zero": 1)",
                 512},
        Question{"mixtral_8x22b_128_h100_tp_ep", R"("model": "mixtral-8x22b", "dtype": "bf16")", kH100 + "16",
                 R"("microbatch_size": 1, "dp": 8, "tp": 4, "pp": 4, "ep": 8, "global_batch": 256, "zero": 1,
                    "tensor_plan": "megatron", "stage_partition": "layers")",
                 128},
        Question{"mixture_of_7_trillion_on_three_levels_of_32768_h100",
                 R"("model": "moe", "dtype": "bf16", "layers": 96, "hidden": 12288, "heads": 96, "feed_forward": 32768,
                    "experts": 64, "top_k": 2, "vocabulary": 128000, "sequence": 4096)",
                 kH100 + R"(4096, "fabric": "fat_tree3")",
                 R"("microbatch_size": 1, "dp": 256, "tp": 8, "pp": 16, "ep": 8, "global_batch": 4096, "zero": 1,
                    "recompute": "full", "sequence_parallel": true)",
                 32768},
        Question{"mixture_of_64_experts_each_on_a_gpu_of_its_own",
                 R"("model": "mixtral-8x22b", "dtype": "bf16", "sequence": 4096, "experts": 64, "layers": 64)",
                 kH100 + "512",
                 R"("microbatch_size": 1, "dp": 512, "pp": 8, "ep": 64, "global_batch": 4096, "zero": 1,
                    "recompute": "full")",
                 4096},
        Question{"llama3_405b_8192_h100_stages_apart", kLlama405b, kH100 + R"(1024, "fabric": "fat_tree3")",
                 R"("microbatch_size": 1, "dp": 64, "tp": 8, "pp": 16, "global_batch": 1024, "recompute": "full",
                    "sequence_parallel": true, "vocabulary_parallel": true, "zero": 1}, "placement":
                    {"order": "tp-dp-pp")",
                 8192},
        Question{"llama3_70b_512_h100_one_slow_256_microbatches",
                 R"("model": "llama3-70b", "dtype": "bf16", "sequence": 4096)", kH100 + "64",
                 R"("microbatch_size": 1, "dp": 16, "tp": 8, "pp": 4, "global_batch": 4096, "zero": 1}, "disturbances":
                    {"slowdowns": [{"device": "node3-gpu5", "factor": 1.25}])",
                 512},
        Question{"llama3_70b_512_h100_three_slow_1024_microbatches",
                 R"("model": "llama3-70b", "dtype": "bf16", "sequence": 4096)", kH100 + "64",
                 R"("microbatch_size": 1, "dp": 16, "tp": 8, "pp": 4, "global_batch": 16384, "zero": 1}, "disturbances":
                    {"slowdowns": [{"device": "node3-gpu5", "factor": 1.25}, {"device": "node20-gpu1", "factor": 1.1},
                                   {"device": "node41-gpu0", "factor": 1.17}])",
                 512},
        Question{"llama3_8b_64_h100_without_tensor_parallelism_4096_microbatches",
                 R"("model": "llama3-8b", "dtype": "bf16", "sequence": 8192)", kH100 + "8",
                 R"("microbatch_size": 1, "dp": 32, "pp": 2, "zero": 1, "global_batch": 131072)", 64},
        Question{"gpt_1t_2048_h100_one_nic_at_half_its_rate", R"("model": "megatron-1t", "dtype": "bf16")",
                 kH100 + R"(256, "fabric": "rail_only")",
                 R"("microbatch_size": 1, "dp": 128, "pp": 16, "global_batch": 2048}, "disturbances":
                    {"links": [{"link": "node0-nic0_UP", "changes": [{"factor": 0.5}]}])",
                 2048},
        Question{"llama3_405b_2304_gb200_in_racks_of_72_256_microbatches", kLlama405b,
                 R"("topology": "gb200_nvl72", "nodes": 32)",
                 R"("microbatch_size": 1, "dp": 36, "tp": 8, "pp": 8, "global_batch": 9216, "sequence_parallel": true)",
                 2304},
        Question{"llama3_8b_64_h100_131072_positions", R"("model": "llama3-8b", "dtype": "bf16", "sequence": 131072)",
                 kH100 + "8",
                 R"("microbatch_size": 1, "dp": 4, "cp": 16, "context_attention": "striped_ring", "zero": 3,
                    "global_batch": 4, "recompute": "full")",
                 64},
        Question{"units_of_a_pipeline_20000_microbatches",
                 R"("model": "llama", "layers": 16, "hidden": 1024, "heads": 8, "feed_forward": 2816, "sequence": 512,
                    "vocabulary": 1024, "dtype": "bf16")",
                 kH100 + "1",
                 R"("microbatch_size": 1, "pp": 4, "dp": 2, "zero": 2, "overlap_gradients": true, "shard_unit": "block",
                    "limit_reduce_scatters": true, "global_batch": 40000)",
                 8},
        Question{"small_gpt_50000_microbatches",
                 R"("model": "gpt", "dtype": "bf16", "layers": 8, "hidden": 512, "heads": 8, "sequence": 256,
                    "vocabulary": 1024)",
                 kA100 + "1", R"("microbatch_size": 1, "pp": 8, "global_batch": 50000)", 8}),
    [](const auto& info) { return info.param.name; });

// Questions that lie beside the source tree, as they stand there.
class AskedQuestion : public testing::TestWithParam<const char*> {};

TEST_P(AskedQuestion, IsAnsweredWithinTheMemoryOfASmallMachine) {
  FOREFLOW_SHARED_OR_SKIP(question, std::string("questions/") + GetParam() + ".json");
  const test::TemporaryFolder folder;
  const test::CommandResult result =
      test::run_foreflow({"simulate", question.string(), "--json", "-", "--timing"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  const JsonView answer(json, "stdout");
  EXPECT_GT(answer.at("iteration_time_s").as_number(), 0.1);
  EXPECT_LT(answer.at("peak_rss_bytes").as_number(), kCeiling);
}

INSTANTIATE_TEST_SUITE_P(Shared, AskedQuestion,
                         testing::Values("01_llama3_8b_64", "02_llama3_70b_256", "03_gpt3_1024", "04_gpt3_3072_512mb",
                                         "05_gpt3_zero3_64mb", "06_llama3_405b_16384", "07_mixtral_1024",
                                         "08_llama3_8b_131072", "09_toy_100k_microbatches"),
                         [](const auto& info) { return std::string(info.param); });

class AskedSearch : public testing::TestWithParam<const char*> {};

TEST_P(AskedSearch, IsProvenWithinTheMemoryOfASmallMachine) {
  FOREFLOW_SHARED_OR_SKIP(question, std::string("questions/") + GetParam() + ".json");
  const test::TemporaryFolder folder;
  const test::CommandResult result =
      test::run_foreflow({"search", question.string(), "--json", "-", "--timing"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  const JsonView answer(json, "stdout");
  EXPECT_TRUE(answer.at("proven").as_bool());
  EXPECT_GT(answer.at("strategies").as_int(), 1'000'000);
  EXPECT_GE(answer.at("ranked").items().size(), 10U);
  EXPECT_LT(answer.at("peak_rss_bytes").as_number(), kCeiling);
}

INSTANTIATE_TEST_SUITE_P(Shared, AskedSearch,
                         testing::Values("10_search_8b_64", "11_search_70b_256", "12_search_gpt3_1024"),
                         [](const auto& info) { return std::string(info.param); });

// 40,000 strategies with all schedules; with the other keys open there are 168,000.
TEST(RealSizeSearch, IsProvenWithinTheMemoryOfASmallMachine) {
  const test::TemporaryFolder folder;
  write_file(folder / "question.json",
             R"({"workload": {"mode": "training", "optimizer": "adam", "model": "llama3-8b", "dtype": "bf16",
                              "sequence": 8192},
                 "platform": {"topology": "dgx_h100", "nodes": 8},
                 "strategy": {"global_batch": 256, "recompute": "full", "zero": [1, 3]}})");
  const test::CommandResult result =
      test::run_foreflow({"search", "question.json", "--top", "3", "--json", "-", "--timing"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  const JsonView answer(json, "stdout");
  EXPECT_TRUE(answer.at("proven").as_bool());
  EXPECT_EQ(answer.at("gap").as_number(), 0);
  EXPECT_GT(answer.at("strategies").as_int(), 20'000);
  EXPECT_LT(answer.at("evaluated").as_int(), answer.at("strategies").as_int() / 100);
  EXPECT_EQ(answer.at("ranked").items().size(), 3U);
  EXPECT_LT(answer.at("peak_rss_bytes").as_number(), kCeiling);
}

// 1,024 GPUs on 128 servers: 512 have a boundary of a pipeline in 64 x 8 tiles, 512 want it in 8 x 64.
TEST(RealSizeReshard, OfAThousandDevicesIsPlannedAndSimulated) {
  const test::CommandResult result = test::run_foreflow(
      {"reshard", "--shape", "4,2048,16384", "--dtype", "float16", "--src-mesh", "64x8", "--src-spec", "RS0S1",
       "--dst-mesh", "64x8", "--dst-spec", "RS1S0", "--platform", "dgx_a100", "--json", "-", "--timing"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  const JsonView answer(json, "stdout");
  EXPECT_EQ(answer.at("unit_tasks").as_int(), 64 * 64);
  EXPECT_EQ(answer.at("bytes_crossing").as_number(), 4.0 * 2048 * 16384 * 2);
  EXPECT_GE(answer.at("time_s").as_number(), answer.at("lower_bound_s").as_number());
  EXPECT_TRUE(answer.at("order_proven").as_bool());
  EXPECT_LT(answer.at("peak_rss_bytes").as_number(), kCeiling);
}

// Weights and states of 1.5 billion parameters take 21 GB, which only the script itself makes.
TEST(RealSizeValidate, MakesNoNumbersThatAScriptMakes) {
  if (test::kSanitized) GTEST_SKIP() << "address sanitizer maps more than any ceiling";
  const test::TemporaryFolder folder;
  write_file(folder / "xl.json",
             R"({"workload": {"model": "gpt2-xl", "dtype": "bf16", "mode": "training", "optimizer": "adam"},
                 "platform": {"topology": "dgx_h100"}, "strategy": {"global_batch": 4}, "engine": "analytic"})");
  const test::CommandResult result = test::run_foreflow_under(
      {.address_space = size_t{1} << 30U},
      {"validate", "xl.json", "--here", "--runner", "pytorch", "--python", "/bin/false"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("/bin/false: the PyTorch program ended with exit code 1"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace foreflow::cli::real_size_test
