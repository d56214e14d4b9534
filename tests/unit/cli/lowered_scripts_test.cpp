// Scripts for many ranks: code that ranks share is written once, so that a script has the size of what is distinct.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::cli::lowered_scripts_test {
namespace {

// A model on 2 shards, 2 stages and this many replicas.
std::string script_of(int dp, const std::string& strategy) {
  const test::TemporaryFolder folder;
  write_file(
      folder / "s.json",
      fmt::format(R"({{"workload": {{"model": "llama", "layers": 4, "hidden": 64, "heads": 4, "feed_forward": 128,
                            "vocabulary": 64, "sequence": 32, "dtype": "bf16", "mode": "training",
                            "optimizer": "adam"}},
                          "platform": {{"topology": "dgx_h100", "nodes": {}}}, "engine": "analytic",
                          "strategy": {{"tp": 2, "pp": 2, "dp": {}, "global_batch": {}, "microbatch_size": 1{}}}}})",
                  (dp + 1) / 2, dp, 4 * dp, strategy));
  const test::CommandResult result =
      test::run_foreflow({"lower", "s.json", "-o", "-", "--target", "pytorch"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

size_t count_of(const std::string& text, const std::string& words) {
  size_t count = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

class ScriptOfReplicas : public testing::TestWithParam<std::string> {};

// The first replica differs from the others, as it alone returns weights, and so does the first shard of each stage.
TEST_P(ScriptOfReplicas, HasTheCodeOfAFewRanks) {
  const std::string few = script_of(4, GetParam()), many = script_of(16, GetParam());
  EXPECT_EQ(count_of(few, "\n    ('D"), 16U);
  EXPECT_EQ(count_of(many, "\n    ('D"), 64U);
  EXPECT_LE(count_of(few, "\ndef llama"), 10U);
  EXPECT_EQ(count_of(few, "\ndef "), count_of(many, "\ndef "));
  EXPECT_LT(static_cast<double>(many.size()), 1.03 * static_cast<double>(few.size()));
}

INSTANTIATE_TEST_SUITE_P(Strategies, ScriptOfReplicas,
                         testing::Values("", R"(, "zero": 1)", R"(, "zero": 3)",
                                         R"(, "zero": 2, "overlap_gradients": true)",
                                         R"(, "sequence_parallel": true, "vocabulary_parallel": true)"));

// Eight times the replicas.
TEST(ScriptOfManyReplicas, HasHardlyMoreThanThatOfAFew) {
  const size_t few = script_of(8, "").size(), many = script_of(64, "").size();
  EXPECT_LT(static_cast<double>(many), 1.1 * static_cast<double>(few));
}

}  // namespace
}  // namespace foreflow::cli::lowered_scripts_test
