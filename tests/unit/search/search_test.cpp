#include "foreflow/search/search.h"

#include <gtest/gtest.h>

namespace foreflow::search {
namespace {

Json source(const std::string& strategy) {
  return parse_json(
      R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": "dgx2"}, "engine": "analytic")" +
          (strategy.empty() ? "" : R"(, "strategy": )" + strategy) + "}",
      "mlp.json");
}

TEST(Space, HasEveryWayToUseAllDevices) {
  // 16 = dp x tp x pp: powers of two whose exponents sum to 4 in three places.
  std::map<std::string, int> ways;
  for (const Json& point : space(source(R"({"global_batch": 64})"), "mlp.json", 16)) {
    const auto degree = [&](const char* key) { return *point.find(key)->if_int(); };
    EXPECT_EQ(degree("dp") * degree("tp") * degree("pp"), 16);
    EXPECT_TRUE(degree("pp") > 1 || degree("microbatches") == 1);
    ++ways[Json::object().set("dp", degree("dp")).set("tp", degree("tp")).dump_compact()];
  }
  EXPECT_EQ(ways.size(), 6U * 5U / 2U);
}

TEST(Space, TakesTheProductOfTheListsThatAreGiven) {
  const auto points =
      space(source(R"({"dp": [1, 2], "tp": [1, 2, 4], "pp": 1, "microbatches": 1, "schedule": ["1f1b", "gpipe"]})"),
            "mlp.json", 16);
  EXPECT_EQ(points.size(), 2U * 3U * 2U);
}

TEST(Search, RanksByThroughputAndKeepsTheReasonsOfTheRest) {
  const Result result =
      search(source(R"({"dp": [1, 2, 3], "tp": [1, 2], "pp": 1, "global_batch": 64})"), "mlp.json", {});
  EXPECT_EQ(result.ranked.size(), 4U);
  EXPECT_EQ(result.evaluated, 4U);
  for (size_t i = 1; i < result.ranked.size(); ++i)
    EXPECT_GE(result.ranked[i - 1].samples_per_second, result.ranked[i].samples_per_second);
  ASSERT_EQ(result.infeasible.size(), 2U);
  EXPECT_EQ(result.infeasible[0].why, "dp: 3 does not divide the global batch 64; use 1, 2, 4, 8, 16, 32 or 64");
}

TEST(Search, ParetoFrontTradesSpeedForMemory) {
  const Result result = search(source(R"({"global_batch": 64})"), "mlp.json", {});
  ASSERT_FALSE(result.pareto.empty());
  for (size_t i = 1; i < result.pareto.size(); ++i) {
    EXPECT_LT(result.pareto[i].peak_memory.value(), result.pareto[i - 1].peak_memory.value());
    EXPECT_LE(result.pareto[i].samples_per_second, result.pareto[i - 1].samples_per_second);
  }
}

TEST(Search, AnswersTheSameWithAnyNumberOfWorkers) {
  const Json question = source(R"({"dp": [1, 2, 4], "tp": [1, 2], "pp": 1, "global_batch": 64})");
  Options one, three;
  three.jobs = 3;
  EXPECT_EQ(to_json(search(question, "mlp.json", one), 10).dump(),
            to_json(search(question, "mlp.json", three), 10).dump());
}

TEST(Search, SaysWhatDoesNotFit) {
  Json question = source(R"({"dp": 1, "tp": 1, "pp": 1, "global_batch": 1})");
  question.member("workload").set("hidden", 40000);
  const Result result = search(question, "mlp.json", {});
  EXPECT_TRUE(result.ranked.empty());
  ASSERT_EQ(result.infeasible.size(), 1U);
  EXPECT_TRUE(result.infeasible[0].why.starts_with("does not fit in memory: D1 needs ")) << result.infeasible[0].why;
}

TEST(Search, DoesNotHideMistakesElsewhere) {
  Json question = source("");
  question.member("workload").set("layer", 4);
  EXPECT_THROW(search(question, "mlp.json", {}), Error);
  EXPECT_THROW(search(source(R"({"tpp": [1, 2]})"), "mlp.json", {}), Error);
}

}  // namespace
}  // namespace foreflow::search
