// What `foreflow simulate` says on stderr that would help.
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::advice_test {
namespace {

std::string said(const std::string& hidden, const std::string& strategy) {
  const test::TemporaryFolder folder;
  write_file(folder / "mlp.json", R"({"workload": {"model": "mlp", "layers": 8, "hidden": )" + hidden +
                                      R"(, "dtype": "f16"}, "engine": "analytic", "platform": {"topology": "dgx1"},
                                      "strategy": {)" +
                                      strategy + "}}");
  return test::run_foreflow({"simulate", "mlp.json"}, folder.path()).err;
}

TEST(Advice, IsToFillAPipeline) {
  EXPECT_EQ(said("256", R"("pp": 4, "dp": 2, "global_batch": 64)"),
            "foreflow: note: strategy.microbatches: 1 for a pipeline of 4 devices, most of which wait; 4 or more would "
            "fill it\n");
  EXPECT_EQ(said("256", R"("pp": 4, "dp": 2, "global_batch": 64, "microbatches": 4)"), "");
  EXPECT_EQ(said("256", R"("pp": 4, "global_batch": 1)"), "") << "one sample cannot be split";
}

TEST(Advice, NamesTheKeysThatWouldLowerTheMemory) {
  const std::string large = R"("tp": 2, "dp": 2, "global_batch": 1048576)";
  const std::string line  = said("16384", large);
  EXPECT_NE(line.find(" of its 32 GB; strategy.recompute, more strategy.microbatches or strategy.zero may lower "
                      "it\n"),
            std::string::npos)
      << line;
  const std::string rest = said("16384", large + R"(, "recompute": "full", "zero": 1)");
  EXPECT_NE(rest.find(" of its 32 GB; more strategy.microbatches may lower it\n"), std::string::npos) << rest;
}

TEST(Advice, SaysWhereZeroKeepsWholeGradients) {
  const auto note = [](const std::string& strategy) {
    const test::TemporaryFolder folder;
    write_file(folder / "gpt.json",
               R"({"workload": {"model": "gpt", "layers": 1, "hidden": 64, "heads": 2, "sequence": 16,
                                        "vocabulary": 32}, "engine": "analytic", "platform": {"topology": "dgx1"},
                                        "strategy": {"dp": 2, "global_batch": 8)" +
                   strategy + "}}");
    return test::run_foreflow({"simulate", "gpt.json"}, folder.path()).err;
  };
  EXPECT_EQ(note(R"(, "cp": 2, "microbatches": 2, "zero": 2)"),
            "foreflow: note: strategy.zero: 2 keeps whole gradients until the last microbatch, as the ranks of cp sum "
            "them before replicas split them\n");
  EXPECT_EQ(note(R"(, "cp": 2, "microbatches": 2, "zero": 1)"), "");
  EXPECT_EQ(note(R"(, "cp": 2, "zero": 3)"), "");
  EXPECT_EQ(note(R"(, "microbatches": 2, "zero": 3)"), "");
}

}  // namespace
}  // namespace foreflow::advice_test
