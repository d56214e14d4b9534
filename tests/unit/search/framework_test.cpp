// A search under a framework ranks what the framework runs: each strategy with the settings that its profile has for
// these degrees, and with the time that `simulate` predicts for it.
#include "foreflow/scenario/framework.h"

#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "foreflow/search/search.h"
#include "support/temporary.h"

namespace foreflow::search::framework_test {
namespace {

Json question(const std::string& framework, const std::string& strategy, const std::string& layers = "4") {
  return parse_json(R"({"framework": ")" + framework + R"(", "workload": {"model": "gpt", "layers": )" + layers +
                        R"(, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128, "dtype": "bf16"},
        "platform": {"topology": "dgx_h100"}, "engine": "analytic", "strategy": )" +
                        strategy + "}",
                    "question.json");
}

Result searched(const Json& question, Pruning pruning = Pruning::none) {
  Options options;
  options.pruning = pruning;
  return search(question, "question.json", options);
}

Seconds simulated(const Json& question, const Candidate& candidate) {
  Json scenario = question;
  scenario.set("strategy", candidate.strategy);
  if (!candidate.placement.is_null()) scenario.set("placement", candidate.placement);
  return scenario::run(scenario::load(scenario, "question.json")).summary.iteration_time;
}

class SearchUnder : public testing::TestWithParam<std::string> {};

TEST_P(SearchUnder, PredictsWhatSimulateDoes) {
  const Json asked = question(GetParam(), R"({"global_batch": 8, "microbatches": [1, 2], "schedule": "1f1b",
                                              "recompute": "none"})");
  const Result all = searched(asked);
  ASSERT_GT(all.ranked.size(), 10U);
  for (const Candidate& one : all.ranked)
    EXPECT_DOUBLE_EQ(one.iteration_time.value(), simulated(asked, one).value()) << one.strategy.dump_compact();

  // Bounds are of these, too: what they leave out is no better.
  const Result best = searched(asked, Pruning::top);
  EXPECT_TRUE(best.proven);
  ASSERT_GE(best.ranked.size(), 10U);
  for (size_t i = 0; i < 10; ++i)
    EXPECT_DOUBLE_EQ(best.ranked[i].iteration_time.value(), all.ranked[i].iteration_time.value()) << i;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const scenario::Framework& one : scenario::frameworks()) all.push_back(one.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Frameworks, SearchUnder, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

std::string at(const Candidate& candidate, const char* key) {
  const Json* value = candidate.strategy.find(key);
  return value == nullptr ? "-" : value->dump_compact();
}

// torchtitan keeps gathered weights over the microbatches of a pipeline (zero 1), and splits them without one (zero 3).
TEST(SearchUnderFramework, ChoosesNoneOfTheKeysThatTheFrameworkSets) {
  const Result all = searched(question("torchtitan", R"({"tp": 1, "global_batch": 8, "microbatches": 2})"));
  ASSERT_FALSE(all.ranked.empty());
  for (const Candidate& one : all.ranked) {
    const bool pipelined = at(one, "pp") != "1", copied = at(one, "dp") != "1";
    EXPECT_EQ(at(one, "zero"), !copied ? "-" : pipelined ? "1" : "3") << one.strategy.dump_compact();
  }
}

TEST(SearchUnderFramework, LetsTheScenarioAskForOthers) {
  const Result all = searched(
      question("megatron-lm", R"({"dp": 2, "tp": 2, "pp": 2, "microbatches": 2, "global_batch": 4, "schedule": "1f1b",
                                  "recompute": "none", "overlap_sends": "any", "vocabulary_parallel": [true, false]})"));
  std::map<std::string, int> sends, vocabularies;
  for (const Candidate& one : all.ranked) {
    ++sends[at(one, "overlap_sends")];
    ++vocabularies[at(one, "vocabulary_parallel")];
    EXPECT_EQ(at(one, "gather_results"), "false");
  }
  EXPECT_EQ(sends.size(), 2U);
  EXPECT_EQ(vocabularies.size(), 2U);
}

// Whether layers divide is known when schedule and virtual stages are.
TEST(SearchUnderFramework, CutsAsTheFrameworkDoesWhereLayersDivide) {
  const Result all =
      searched(question("megatron-lm", R"({"global_batch": 8, "microbatches": 4, "recompute": "none"})", "6"));
  std::map<std::string, std::string> by_stages;
  for (const Candidate& one : all.ranked) {
    if (at(one, "schedule") == "\"1f1b\"") by_stages[at(one, "pp")] = at(one, "stage_partition");
  }
  EXPECT_EQ(by_stages["1"], "-");
  EXPECT_EQ(by_stages["2"], "\"layers\"");
  EXPECT_EQ(by_stages["4"], "\"uniform\"");
}

TEST(SearchUnderFramework, ReadsAProfileOfItsOwnBesideTheScenario) {
  const test::TemporaryFolder folder;
  write_file(folder / "own.json", R"({"name": "own", "version": "1", "doc": "own", "settings":
    [{"key": "strategy.zero", "value": 2, "when": "dp or cp", "why": "it does"}]})");
  const Json asked = question("own.json", R"({"global_batch": 8, "microbatches": 2, "schedule": "1f1b", "pp": 1})");
  const Result all = search(asked, folder / "question.json", {});
  ASSERT_FALSE(all.ranked.empty());
  for (const Candidate& one : all.ranked) EXPECT_EQ(at(one, "zero"), at(one, "dp") == "1" ? "-" : "2");
}

TEST(SearchUnderFramework, SaysWhichKeysWereNoChoice) {
  const Result all       = searched(question("fsdp", R"({"dp": 8, "global_batch": 8, "zero": [2, 3]})"));
  const std::string text = to_text(all, 10);
  EXPECT_NE(text.find("\nThe framework decides attention, "), std::string::npos) << text;
  EXPECT_NE(text.find("shard_unit; a list of values in the strategy has them tried\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("shard_unit block"), std::string::npos) << text;
  EXPECT_FALSE(all.by_framework.contains("zero"));
}

TEST(SearchUnderFramework, TakesEachOfAListOfStrategies) {
  const Json asked = question("fsdp", R"([{"dp": 8, "global_batch": 8}, {"dp": 8, "global_batch": 8, "zero": 2}])");
  const Result all = searched(asked);
  std::map<std::string, int> zeros;
  for (const Candidate& one : all.ranked) {
    ++zeros[at(one, "zero")];
    EXPECT_EQ(at(one, "overlap_gradients"), "true");
    EXPECT_DOUBLE_EQ(one.iteration_time.value(), simulated(asked, one).value());
  }
  EXPECT_EQ(zeros.size(), 2U);
}

}  // namespace
}  // namespace foreflow::search::framework_test
