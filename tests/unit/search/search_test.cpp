#include "foreflow/search/search.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foreflow::search::search_test {
namespace {

Json source(const std::string& strategy) {
  return parse_json(
      R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": "dgx2"}, "engine": "analytic")" +
          (strategy.empty() ? "" : R"(, "strategy": )" + strategy) + "}",
      "mlp.json");
}

// A question of a few hundred strategies; with every key open it has thousands.
Json small_source(const std::string& more) {
  return source(R"({"dp": [1, 2, 4], "tp": [1, 2], "pp": [1, 2], "recompute": "none", "overlap_tensor": 1, )" + more +
                "}");
}

TEST(Search, RanksByThroughputAndKeepsTheReasonsOfTheRest) {
  const Result result = search(
      source(
          R"({"dp": [1, 2, 3], "tp": [1, 2], "pp": 1, "microbatches": 1, "global_batch": 64, "recompute": "none", "zero": 0,
              "schedule": "1f1b", "overlap_gradients": false, "overlap_tensor": 1})"),
      "mlp.json", {});
  EXPECT_EQ(result.ranked.size(), 4U);
  EXPECT_EQ(result.evaluated, 4U);
  for (size_t i = 1; i < result.ranked.size(); ++i)
    EXPECT_GE(result.ranked[i - 1].samples_per_second, result.ranked[i].samples_per_second);
  ASSERT_EQ(result.infeasible.size(), 2U);
  EXPECT_EQ(result.infeasible[0].why, "dp: 3 does not divide the global batch 64; use 1, 2, 4, 8, 16, 32 or 64");
}

TEST(Search, TellsBytesAsWholeNumbers) {
  const Result result  = search(small_source(R"("global_batch": 64)"), "mlp.json", {});
  const Json json      = to_json(result, 10);
  const Json* const at = json.find("ranked")->if_array()->at(0).find("peak_memory_bytes");
  ASSERT_NE(at->if_int(), nullptr) << at->dump_compact();
  EXPECT_THAT(to_csv(result), testing::HasSubstr("," + std::to_string(*at->if_int()) + ","));
}

TEST(Search, ParetoFrontTradesSpeedForMemory) {
  const Result result = search(small_source(R"("global_batch": 64)"), "mlp.json", {});
  ASSERT_FALSE(result.pareto.empty());
  for (size_t i = 1; i < result.pareto.size(); ++i) {
    EXPECT_LT(result.pareto[i].peak_memory.value(), result.pareto[i - 1].peak_memory.value());
    EXPECT_LE(result.pareto[i].samples_per_second, result.pareto[i - 1].samples_per_second);
  }
}

TEST(Search, SaysInWholePercentThatTheSecondIsFarBehind) {
  Result result =
      search(source(R"({"dp": [1, 2], "tp": 1, "pp": 1, "microbatches": 1, "global_batch": 64})"), "mlp.json", {});
  ASSERT_GE(result.ranked.size(), 2U);
  result.ranked[1].samples_per_second = result.ranked[0].samples_per_second / 8;
  EXPECT_THAT(to_text(result, 2), testing::HasSubstr("The second is 700 % behind"));
}

TEST(Search, AnswersTheSameWithAnyNumberOfWorkers) {
  const Json question = source(R"({"dp": [1, 2, 4], "tp": [1, 2], "pp": 1, "global_batch": 64})");
  Options one, three;
  three.jobs = 3;
  EXPECT_EQ(to_json(search(question, "mlp.json", one), 10).dump(),
            to_json(search(question, "mlp.json", three), 10).dump());
}

// Some strategies are infeasible only as their prediction says.
TEST(Search, CountsEachStrategyOnce) {
  Json question = source(R"({"dp": 1, "tp": [1, 3], "pp": 1, "global_batch": 1})");
  question.member("workload").set("hidden", 40000);
  Options all;
  all.pruning         = Pruning::none;
  const Result result = search(question, "mlp.json", all);
  ASSERT_GT(result.evaluated, 0U);
  ASSERT_GT(result.refused, result.evaluated);
  const std::string text = to_text(result, 10);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            fmt::format("{0} strategies: 0 evaluated, {0} infeasible ({1} of them evaluated), 0 pruned", result.points,
                        result.evaluated));
}

TEST(Search, SaysWhatDoesNotFit) {
  Json question = source(R"({"dp": 1, "tp": 1, "pp": 1, "global_batch": 1})");
  question.member("workload").set("hidden", 40000);
  Options all;
  all.pruning         = Pruning::none;
  const Result result = search(question, "mlp.json", all);
  EXPECT_TRUE(result.ranked.empty());
  ASSERT_GE(result.infeasible.size(), 1U);
  EXPECT_TRUE(result.infeasible[0].why.starts_with("does not fit in memory: D1 needs ")) << result.infeasible[0].why;
  const Result known = search(question, "mlp.json", {});
  EXPECT_EQ(known.evaluated, 0U);
  ASSERT_GE(known.infeasible.size(), 1U);
  EXPECT_TRUE(known.infeasible[0].why.starts_with("does not fit in memory: needs ")) << known.infeasible[0].why;
}

TEST(Search, EndsWithAProof) {
  const Result result = search(small_source(R"("global_batch": 64)"), "mlp.json", {});
  EXPECT_TRUE(result.proven);
  EXPECT_EQ(result.gap, 0);
  const Json json = to_json(result, 3);
  EXPECT_EQ(*json.find("strategies")->if_int(), static_cast<int64_t>(result.points));
  EXPECT_TRUE(*json.find("proven")->if_bool());
}

TEST(Search, EndsWhenAskedToWithWhatItHas) {
  for (const int after : {0, 2}) {
    int reports = 0;
    Options options;
    options.report      = [&](const Status&) { ++reports; };
    options.stop        = [&] { return reports > after; };
    const Result result = search(small_source(R"("global_batch": 256)"), "mlp.json", options);
    EXPECT_TRUE(result.interrupted);
    EXPECT_FALSE(result.proven);
    EXPECT_EQ(result.exact, 0U);
    EXPECT_NE(to_text(result, 3).find(result.ranked.empty() ? "None was found yet" : "Interrupted: "),
              std::string::npos);
  }
}

// Nothing is proven of what an interrupted search did not come to.
TEST(Search, TellsWhatItDidNotLookAtFromWhatItRuledOut) {
  for (const Pruning pruning : {Pruning::none, Pruning::top}) {
    int reports = 0;
    Options options;
    options.pruning     = pruning;
    options.report      = [&](const Status&) { ++reports; };
    options.stop        = [&] { return reports > 2; };
    const Result result = search(small_source(R"("global_batch": 256)"), "mlp.json", options);
    ASSERT_TRUE(result.interrupted);
    EXPECT_GT(result.not_looked_at(), 0U);
    EXPECT_EQ(result.ranked.size() + result.same + result.refused + result.pruned() + result.not_looked_at(),
              result.points);
    EXPECT_NE(to_text(result, 3).find(fmt::format("{} not looked at\n", result.not_looked_at())), std::string::npos);
    const Json json = to_json(result, 3);
    EXPECT_EQ(*json.find("pruned")->if_int(), static_cast<int64_t>(result.pruned()));
    EXPECT_EQ(*json.find("not_looked_at")->if_int(), static_cast<int64_t>(result.not_looked_at()));
    if (pruning != Pruning::none) continue;
    EXPECT_EQ(result.pruned(), 0U);
    EXPECT_EQ(to_text(result, 3).find("pruned"), std::string::npos);
  }
}

// The gap is what a better strategy could gain at most.
TEST(Search, ReportsAGapThatHolds) {
  const Json question = small_source(R"("global_batch": 256, "schedule": ["1f1b", "zb_h1"])");
  const double best   = search(question, "mlp.json", {}).ranked.front().samples_per_second;
  Options options;
  size_t gaps    = 0;
  options.report = [&](const Status& status) {
    if (!status.gap) return;
    ++gaps;
    EXPECT_GE((1 + *status.gap) * status.best * (1 + 1e-12), best);
  };
  search(question, "mlp.json", options);
  EXPECT_GT(gaps, 0U);
}

TEST(Search, DoesNotHideMistakesElsewhere) {
  Json question = source("");
  question.member("workload").set("layer", 4);
  EXPECT_THROW(search(question, "mlp.json", {}), Error);
  EXPECT_THROW(search(source(R"({"tpp": [1, 2]})"), "mlp.json", {}), Error);
}

TEST(Search, SaysHowFarTheSecondIsBehind) {
  Result result;
  EXPECT_EQ(behind(result), 0);
  Candidate first, second;
  first.samples_per_second  = 12;
  second.samples_per_second = 10;
  result.ranked             = {first, second};
  EXPECT_DOUBLE_EQ(behind(result), 0.2);
}

TEST(Search, LeavesOutWhatCannotBeAmongTheFirst) {
  const Json question = small_source(R"("global_batch": 256, "schedule": "1f1b", "zero": 0)");
  Options one;
  one.top             = 1;
  const Result pruned = search(question, "mlp.json", one);
  Options all;
  all.pruning       = Pruning::none;
  const Result full = search(question, "mlp.json", all);
  EXPECT_GT(pruned.pruned(), 0U);
  EXPECT_EQ(pruned.points, full.points);
  EXPECT_EQ(pruned.evaluated + pruned.same + pruned.pruned(), full.evaluated + full.same);
  EXPECT_EQ(to_json(pruned, 1).find("ranked")->dump(), to_json(full, 1).find("ranked")->dump());
  EXPECT_EQ(pruned.exact, 1U);
}

}  // namespace
}  // namespace foreflow::search::search_test
