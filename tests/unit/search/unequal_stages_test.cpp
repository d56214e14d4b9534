// A search that may give stages unequal tensor parallelism, on a server where that is best.
#include <gtest/gtest.h>

#include <set>

#include "foreflow/search/search.h"

namespace foreflow::search::unequal_stages_test {
namespace {

// On six GPUs, tensor parallelism of equal stages is 1 or 2, as 3 and 6 do not divide the 64 heads, and so are
// replicas, of which 3 do not divide the batch. All six then work only in pipelines of three stages or six, in which
// each waits for K + 2 of K microbatches; four and two of them in two stages wait for K + 1.
Result found(const std::string& stages) {
  const Json source =
      scenario::read_source(std::string(FOREFLOW_SOURCE_DIR) + "/scenarios/gpt_unequal_stages_6_a100.json",
                            {"strategy.pp=any", "strategy.stage_tp=" + stages});
  Options options;
  options.jobs = 1;
  return search::search(source, "unequal.json", options);
}

TEST(SearchOfUnequalStages, FindsThemWhereTheyAreBest) {
  const Result any = found("any"), equal = found("equal");
  ASSERT_FALSE(any.ranked.empty());
  ASSERT_FALSE(equal.ranked.empty());
  const Json* best = any.ranked.front().strategy.find("stage_tp");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(*best->if_string(), "4:2");
  EXPECT_LT(any.ranked.front().iteration_time, 0.95 * equal.ranked.front().iteration_time);
  EXPECT_TRUE(any.proven);
}

// Ranks may share long sequences, in equal stages of six GPUs as many as divide both 6 and the sequence: 1 or 2. All
// six then work only in pipelines of three stages or six, in which each waits for K + 2 of K microbatches; four and two
// of them in two stages wait for K + 1.
TEST(SearchOfUnequalStages, FindsContextsWhereTheyAreBest) {
  const auto found = [](const std::string& stages) {
    const Json source = scenario::read_source(
        std::string(FOREFLOW_SOURCE_DIR) + "/scenarios/gpt_unequal_stages_6_a100.json",
        {"strategy.pp=any", "strategy.stage_tp=equal", "strategy.tp=1", "strategy.dp=1", "strategy.cp=any",
         "strategy.stage_cp=" + stages, "strategy.vocabulary_parallel=false", "strategy.global_batch=2",
         "workload.hidden=2048", "workload.heads=16", "workload.sequence=16384"});
    return search::search(source, "unequal.json", {});
  };
  const Result any = found("any"), equal = found("equal");
  ASSERT_FALSE(any.ranked.empty());
  ASSERT_FALSE(equal.ranked.empty());
  const Json* best = any.ranked.front().strategy.find("stage_cp");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(*best->if_string(), "4:2");
  EXPECT_LT(any.ranked.front().iteration_time, 0.9 * equal.ranked.front().iteration_time);
}

TEST(SearchOfUnequalStages, TriesSequenceParallelismOfSomeStages) {
  const Json source =
      scenario::read_source(std::string(FOREFLOW_SOURCE_DIR) + "/scenarios/gpt_unequal_stages_6_a100.json",
                            {"strategy.sequence_parallel=true", "strategy.stage_sequence_parallel=any"});
  const Result result = search::search(source, "unequal.json", {});
  std::set<std::string> found;
  for (const auto& candidate : result.ranked)
    found.insert(*candidate.strategy.find("stage_sequence_parallel")->if_string());
  EXPECT_EQ(found, (std::set<std::string>{"equal", "true:false", "false:true"}));
}

// What bounds equal stages is no bound of unequal ones: pruning leaves out none that is better.
TEST(SearchOfUnequalStages, IsProvenByTheirPredictions) {
  Options all;
  const Json source =
      scenario::read_source(std::string(FOREFLOW_SOURCE_DIR) + "/scenarios/gpt_unequal_stages_6_a100.json",
                            {"strategy.pp=any", "strategy.stage_tp=any"});
  all.pruning           = Pruning::none;
  const Result pruned   = search::search(source, "unequal.json", {});
  const Result complete = search::search(source, "unequal.json", all);
  ASSERT_FALSE(complete.ranked.empty());
  EXPECT_EQ(pruned.ranked.front().strategy, complete.ranked.front().strategy);
  EXPECT_EQ(pruned.ranked.front().iteration_time, complete.ranked.front().iteration_time);
}

Result found_with(const std::string& degrees) {
  const Json source = parse_json(R"({"workload": {"model": "gpt", "layers": 6, "hidden": 64, "heads": 4, "sequence": 32,
                                                  "vocabulary": 66},
                                     "platform": {"topology": "dgx1"}, "placement": {},
                                     "strategy": {"dp": 1, "schedule": "1f1b", "global_batch": 8, )" +
                                     degrees + "}}",
                                 "the test");
  Options options;
  options.jobs = 1;
  return search::search(source, "stages.json", options);
}

// The other keys are open when the degrees are known.
TEST(SearchOfUnequalStages, RefusesTheWrongNumberOfDegreesForThatReason) {
  for (const std::string key : {"stage_tp", "stage_cp"}) {
    const Result result = found_with(R"("tp": 1, "pp": 4, ")" + key + R"(": "2:1")");
    EXPECT_TRUE(result.ranked.empty());
    EXPECT_GT(result.reasons.count(key + ": has 2 degrees for pp = 4; write one for each device of the pipeline"), 0U);
    for (const auto& [reason, count] : result.reasons) EXPECT_EQ(reason.find("devices are more"), std::string::npos);
  }
}

// 4 + 2 + 2 ranks have the eight devices; three stages of the largest, 4, would have twelve.
TEST(SearchOfUnequalStages, CountsTheDevicesOfEachStage) {
  EXPECT_FALSE(found_with(R"("tp": 1, "pp": 3, "stage_cp": "4:2:2")").ranked.empty());
  EXPECT_FALSE(found_with(R"("pp": 3, "stage_tp": "4:2:2")").ranked.empty());
}

}  // namespace
}  // namespace foreflow::search::unequal_stages_test
