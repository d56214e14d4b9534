// Memory that runs out is a sentence, here under a ceiling of the address space (sanitizers need more than any).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/sanitized.h"
#include "support/temporary.h"

namespace foreflow {
namespace {

using test::CommandResult;
using testing::HasSubstr;
using testing::MatchesRegex;

const test::Ceiling kOneGigabyte{.address_space = size_t{1} << 30U};

class MemoryThatRunsOut : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "address sanitizer maps more than any ceiling";
  }
  CommandResult run(const std::string& program, std::vector<std::string> words) const {
    write_file(folder_ / "p.distir", program);
    words.insert(words.begin() + 1, "p.distir");
    return test::run_foreflow_under(kOneGigabyte, words, folder_.path());
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(MemoryThatRunsOut, NamesTheInputThatIsTooLarge) {
  const CommandResult result =
      run("func @main(%x: Tensor[Float32, (100000, 100000)]) {\n  %y = Relu(%x)\n  return %y\n}\n", {"execute"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              MatchesRegex("foreflow: error: p.distir: %x: a tensor Tensor.Float32, .100000, 100000.. takes "
                           "40 GB; [0-9.]+ [MG]?B are available here\n"));
}

TEST_F(MemoryThatRunsOut, OfAllInputsTogetherIsSeenAtTheBeginning) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", R"({"workload": {"model": "llama3-70b", "sequence": 2048, "mode": "training"},
      "platform": {"topology": "dgx_h100", "nodes": 4}, "cost": {"model": "roofline"},
      "strategy": {"tp": 8, "pp": 4, "global_batch": 8, "microbatch_size": 1}})");
  const CommandResult result = test::run_foreflow_under(kOneGigabyte, {"execute", "s.json"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, MatchesRegex("foreflow: error: s.json: a random number for every element of the inputs takes "
                                       "[0-9.]+ [GT]B; [0-9.]+ [MG]?B are available here\n"));
}

TEST_F(MemoryThatRunsOut, NamesTheOpWhoseResultIsTooLarge) {
  const CommandResult result = run(R"(func @main(%x: Tensor[Float32, (20000, 1)], %y: Tensor[Float32, (1, 20000)]) {
  %z = MatMul(%x, %y)
  return %z
}
)",
                                   {"execute"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, MatchesRegex("foreflow: error: p.distir:2: @main: %z = MatMul: memory: its result "
                                       "Tensor.Float32, .20000, 20000.. takes 1.6 "
                                       "GB; [0-9.]+ [MG]?B are available here\n"));
}

TEST_F(MemoryThatRunsOut, IsASentenceInEveryCommand) {
  const test::TemporaryFolder folder;
  std::string many = "[";
  for (int i = 0; i < 1'000'000; ++i) many += "{},";
  write_file(folder / "s.json", many + "1]");
  const CommandResult result =
      test::run_foreflow_under({.address_space = size_t{400} << 20U}, {"simulate", "s.json"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("foreflow: error: "));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("internal error")));
}

TEST_F(MemoryThatRunsOut, ForATraceOfTooManyDevicesSaysHowToAskForFewer) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", R"({"workload": {"model": "llama3-8b", "mode": "training", "optimizer": "adam"},
      "platform": {"topology": "dgx_h100", "nodes": 1024}, "cost": {"model": "roofline"},
      "strategy": {"dp": 8192, "global_batch": 8192, "zero": 1}})");
  for (const std::string devices : {"", "all"}) {
    std::vector<std::string> words = {"simulate", "s.json", "--trace", "trace.json"};
    if (!devices.empty()) words.insert(words.end(), {"--devices", devices});
    const CommandResult result = test::run_foreflow_under({.address_space = size_t{400} << 20U}, words, folder.path());
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("foreflow: error: memory: the "));
    EXPECT_THAT(result.err, HasSubstr("; --devices D1-D8 tells those devices only\n"));
    EXPECT_FALSE(std::filesystem::exists(folder / "trace.json"));
  }
}

TEST_F(MemoryThatRunsOut, InASearchSaysHowLargeTheProgramIs) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", R"({
    "workload": {"model": "gpt", "layers": 2000, "hidden": 64, "heads": 4, "sequence": 64, "vocabulary": 128,
                 "mode": "training"},
    "platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"},
    "strategy": {"global_batch": 8, "dp": [1, 2], "tp": 1, "pp": 1}})");
  const CommandResult result = test::run_foreflow_under({.address_space = size_t{400} << 20U},
                                                        {"search", "s.json", "--jobs", "1"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, testing::ContainsRegex("memory: .*program of [0-9]+ ops.*fewer layers"));
}

}  // namespace
}  // namespace foreflow
