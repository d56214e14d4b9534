// Annealing and beam against the optimum of a space that can be searched whole.
#include <gtest/gtest.h>

#include "foreflow/search/search.h"
#include "foreflow/search/space.h"

namespace foreflow::search::methods_test {
namespace {

// 48 layers on 16 devices of a DGX-2: some two hundred strategies.
Json question() {
  return parse_json(R"({
    "workload": {"model": "mlp", "layers": 48, "hidden": 4096, "dtype": "f16"}, "platform": {"topology": "dgx2"},
    "strategy": {"global_batch": 256, "schedule": ["1f1b", "gpipe"], "recompute": "none", "zero": 0, "overlap_gradients": false,
                 "overlap_tensor": 1}, "engine": "analytic"})",
                    "mlp.json");
}

Result searched(const char* method, uint64_t seed, size_t budget, int jobs = 1) {
  Options options;
  options.method = &methods().get(method, "method");
  options.seed   = seed;
  options.budget = budget;
  options.jobs   = jobs;
  return search(question(), "mlp.json", options);
}

double best(const Result& result) { return result.ranked.empty() ? 0 : result.ranked[0].samples_per_second; }

class Methods : public testing::Test {
 protected:
  static double optimum() {
    static const double throughput = [] {
      Options options;
      options.top = 1;
      return best(search(question(), "mlp.json", options));
    }();
    return throughput;
  }
};

TEST_F(Methods, BeamFindsTheOptimumWithAThirdOfThePredictions) {
  const Result result = searched("beam", 1, 80);
  EXPECT_LE(result.evaluated, 80U);
  EXPECT_GE(best(result), optimum());
}

TEST_F(Methods, AnnealingFindsTheOptimumWithHalfOfThePredictions) {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    const Result result = searched("annealing", seed, 100);
    EXPECT_LE(result.evaluated, 100U);
    EXPECT_GE(best(result), optimum()) << "seed " << seed;
  }
}

TEST_F(Methods, AnswerTheSameWithAnyNumberOfWorkers) {
  for (const char* method : {"annealing", "beam"}) {
    EXPECT_EQ(to_json(searched(method, 5, 40), 10).dump(), to_json(searched(method, 5, 40, 3), 10).dump()) << method;
  }
}

TEST_F(Methods, AnnealingDependsOnItsSeed) {
  EXPECT_NE(to_json(searched("annealing", 5, 30), 10).dump(), to_json(searched("annealing", 6, 30), 10).dump());
}

// Some two hundred thousand strategies and more.
Json large_question() {
  const Json strategy = parse_json(
      R"({"global_batch": [64, 128, 256, 512], "overlap_sends": "any", "overlap_gradients": "any",
          "overlap_tensor": "any", "delay_weight_gradients": "any", "gather_results": [true, false]})",
      "mlp.json");
  return question().set("strategy", strategy);
}

TEST_F(Methods, AnswerWithinTheirBudgetForLargeSpaces) {
  const Json many = large_question();
  Options options;
  options.budget = 30;
  for (const char* method : {"annealing", "beam"}) {
    options.method      = &methods().get(method, "method");
    const Result result = search(many, "mlp.json", options);
    EXPECT_TRUE(result.estimated);
    EXPECT_GT(result.points, 200'000U);
    EXPECT_LE(result.evaluated, options.budget);
    EXPECT_EQ(result.exact, 0U);
    EXPECT_FALSE(result.proven);
    EXPECT_FALSE(result.gap.has_value());
    EXPECT_FALSE(result.ranked.empty());
    EXPECT_NE(to_text(result, 1).find("Others may be better"), std::string::npos);
    EXPECT_NE(to_text(result, 1).find(" not looked at\n"), std::string::npos);
    EXPECT_EQ(to_text(result, 1).find("pruned"), std::string::npos);
  }
}

// What is asked for after that is not predicted.
TEST_F(Methods, EndWhenAskedToWithWhatTheyHave) {
  for (const char* method : {"annealing", "beam"}) {
    int asked = 0;
    Options options;
    options.method         = &methods().get(method, "method");
    options.stop           = [&] { return ++asked > 20; };
    const Result result    = search(question(), "mlp.json", options);
    const std::string text = to_text(result, 1);
    EXPECT_TRUE(result.interrupted) << method;
    EXPECT_FALSE(result.proven) << method;
    EXPECT_GT(result.evaluated, 0U) << method;
    EXPECT_LT(result.evaluated, 20U) << method;
    EXPECT_GT(result.not_looked_at(), 0U) << method;
    EXPECT_NE(text.find(result.ranked.empty() ? "None was found yet" : "Interrupted: others may be better.\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" not looked at\n"), std::string::npos) << text;
  }
}

// An exhaustive search is asked whether to stop after each branch of its survey, which knows only of those before it.
TEST_F(Methods, CountTheWholeSpaceWhenTheSurveyIsStopped) {
  for (const Json& asked : {question(), large_question()}) {
    int branches = 0;
    Options stopped, beam;
    stopped.stop        = [&] { return ++branches > 20; };
    beam.method         = &methods().get("beam", "method");
    beam.budget         = 1;
    const Result result = search(asked, "mlp.json", stopped);
    ASSERT_TRUE(result.interrupted);
    EXPECT_EQ(result.points, search(asked, "mlp.json", beam).points);
    EXPECT_GE(result.points, result.ranked.size() + result.same + result.refused);
    EXPECT_GT(result.not_looked_at(), result.points / 2);
    EXPECT_FALSE(result.exact_front);
  }
}

// A model whose weights fit on no device: nothing is known of what the budget did not reach.
TEST_F(Methods, DoNotSayThatNothingWorksWhereTheyLookedAtAPart) {
  Json large = question();
  large.member("workload").set("hidden", 200000);
  Options options;
  options.budget = 2;
  for (const char* method : {"annealing", "beam"}) {
    options.method         = &methods().get(method, "method");
    const Result result    = search(large, "mlp.json", options);
    const std::string text = to_text(result, 1);
    ASSERT_TRUE(result.ranked.empty());
    EXPECT_EQ(text.find("No strategy works") == std::string::npos, result.not_looked_at() > 0) << text;
    EXPECT_EQ(text.find("None of those that were looked at works") != std::string::npos, result.not_looked_at() > 0)
        << text;
  }
}

// The last stage has the output over a large vocabulary besides its layers.
TEST_F(Methods, CutStagesUnevenlyWhereThatIsFaster) {
  Json uneven = parse_json(R"({
    "workload": {"model": "gpt", "layers": 8, "hidden": 512, "heads": 8, "sequence": 256, "vocabulary": 50257, "dtype": "f16"},
    "platform": {"topology": "dgx2"},
    "strategy": {"dp": 1, "tp": 1, "pp": 4, "microbatches": 8, "global_batch": 16, "schedule": "1f1b", "recompute": "none"},
    "engine": "analytic"})",
                           "gpt.json");
  Options plain, beam;
  beam.method         = &methods().get("beam", "method");
  beam.budget         = 40;
  const Result even   = search(uneven, "gpt.json", plain);
  const Result better = search(uneven, "gpt.json", beam);
  EXPECT_GE(best(better), best(even));
  const bool moved = std::any_of(better.ranked.begin(), better.ranked.end(), [](const Candidate& candidate) {
    return candidate.strategy.find("stage_shares") != nullptr;
  });
  EXPECT_TRUE(moved);
}

}  // namespace
}  // namespace foreflow::search::methods_test
