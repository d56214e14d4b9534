// What a search of many strategies predicts before it knows bounds.
#include "search/exhaustive/guesses.h"

#include <gtest/gtest.h>

namespace foreflow::search::guesses_test {
namespace {

// Some hundred thousand strategies.
Json source() {
  return parse_json(R"({
    "workload": {"model": "llama", "layers": 8, "hidden": 64, "heads": 8, "sequence": 32, "vocabulary": 64,
                 "mode": "training", "optimizer": "adam", "dtype": "bf16"},
    "platform": {"topology": "dgx_h100", "nodes": 4}, "strategy": {"global_batch": 256}})",
                    "many.json");
}

TEST(Guesses, AreLegalPointsWithTheFewestStagesAndThenTheMostReplicas) {
  const Question question(source(), "many.json", {});
  const Branches branches(question.space());
  const std::vector<Branch> guesses = first_guesses(question, branches, 3);
  ASSERT_EQ(guesses.size(), 3U);
  for (const Branch& guess : guesses) {
    EXPECT_TRUE(branches.is_point(guess));
    EXPECT_TRUE(question.read(guess.point).scenario) << guess.point.dump_compact();
    EXPECT_EQ(*guess.point.find("pp")->if_int(), 1);
  }
  EXPECT_EQ(*guesses[0].point.find("dp")->if_int(), 32);
  EXPECT_EQ(*guesses[1].point.find("dp")->if_int(), 16);
}

TEST(Guesses, AreWhatASearchShowsThatIsStoppedBeforeItKnowsABound) {
  int reports = 0;
  Options options;
  options.report      = [&](const Status& status) { reports += status.evaluated > 0 ? 1 : 0; };
  options.stop        = [&] { return reports > 0; };
  const Result result = search(source(), "many.json", options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.gap.has_value());
  ASSERT_EQ(result.ranked.size(), 1U);
  EXPECT_GT(result.ranked.front().samples_per_second, 0);
}

}  // namespace
}  // namespace foreflow::search::guesses_test
