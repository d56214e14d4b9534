// What --observe and --devices of `simulate` do where there is nothing to observe, or nothing is chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::observe_test {
namespace {

using testing::HasSubstr;
using testing::Not;

test::CommandResult simulated(const std::string& strategy, const std::vector<std::string>& options) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64},
                                    "platform": {"topology": "dgx2"}, "strategy": {"global_batch": 32)" +
                                    strategy + "}}");
  std::vector<std::string> words = {"simulate", "s.json"};
  words.insert(words.end(), options.begin(), options.end());
  return test::run_foreflow(words, folder.path());
}

const std::string kSharded = R"(, "dp": 2, "tp": 2)";

TEST(Observe, SaysWhereItTellsNothingNew) {
  const std::string note = "note: --observe: has no effect: ";
  EXPECT_THAT(simulated("", {"--observe"}).err, HasSubstr(note + "the program sends nothing over links\n"));
  EXPECT_THAT(simulated(kSharded, {"--engine", "analytic", "--observe"}).err,
              HasSubstr(note + "no link is shared by two communications; how busy links were over time is in --json "
                               "and --trace only\n"));
  EXPECT_THAT(simulated(kSharded, {"--engine", "analytic", "--observe", "--json", "-"}).err, Not(HasSubstr(note)));
  EXPECT_THAT(simulated(kSharded, {"--engine", "analytic"}).err, Not(HasSubstr(note)));
}

TEST(Observe, HasNoEffectInAnEngineThatRecordsNoRates) {
  const auto result = simulated(kSharded, {"--engine", "simgrid_flows", "--observe", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("note: --observe: has no effect: the engine simgrid_flows records no rates of "
                                    "messages; use simgrid\n"));
  EXPECT_THAT(result.out, HasSubstr("\"key\": \"--observe\""));
}

// Replicas of one small layer: 1,024 devices, and 1,000.
TEST(ManyDevices, AreSaidToBeToldOneByOne) {
  const auto said = [](int replicas, std::vector<std::string> words) {
    const test::TemporaryFolder folder;
    write_file(folder / "s.json", R"({"workload": {"model": "mlp", "layers": 1, "hidden": 8},
                                      "platform": {"topology": "dgx_h100", "nodes": 128}, "engine": "analytic",
                                      "strategy": {"dp": )" +
                                      std::to_string(replicas) + R"(, "global_batch": )" +
                                      std::to_string(2 * replicas) + R"(, "bucket_size": "1MB"}})");
    words.insert(words.begin() + 1, "s.json");
    return test::run_foreflow(words, folder.path()).err;
  };
  const std::string reports =
      "note: --csv, --trace: each of 1024 devices is simulated and told one by one; --devices "
      "D1-D8 tells those only\n";
  EXPECT_THAT(said(1024, {"simulate", "--csv", "a.csv", "--trace", "a.trace"}), HasSubstr(reports));
  EXPECT_THAT(said(1024, {"simulate", "--csv", "a.csv", "--devices", "D1"}), Not(HasSubstr("one by one")));
  EXPECT_THAT(said(1000, {"simulate", "--csv", "a.csv"}), Not(HasSubstr("one by one")));
  EXPECT_THAT(
      said(1024, {"simulate", "--observe"}),
      HasSubstr("note: --observe: each of 1024 devices is simulated in each microbatch, whatever --devices says; "
                "fewer replicas or microbatches take less time and memory\n"));
  EXPECT_THAT(said(1024, {"lower", "-o", "ranks"}),
              HasSubstr("note: lower: writes the programs of 1024 devices; replicas do the same, so strategy.dp 1 with "
                        "strategy.global_batch 2 writes what all do\n"));
}

TEST(ChosenDevices, AreNotNone) {
  const auto result = simulated(kSharded, {"--devices", ""});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            "foreflow: error: --devices: \"\" names no devices; write all, or numbers and ranges such as D1-D8,D17\n");
}

}  // namespace
}  // namespace foreflow::observe_test
