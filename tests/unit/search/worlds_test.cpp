// Disturbed worlds: what is drawn, what is made of the times, and what a search shows of them.
#include "search/worlds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "search/question.h"
#include "support/temporary.h"

namespace foreflow::search::worlds_test {
namespace {

using testing::HasSubstr;

Json question(const std::string& more = "", const std::string& engine = "simgrid") {
  return parse_json(R"({"workload": {"model": "mlp", "layers": 4, "hidden": 1024}, "platform": {"topology": "dgx2"},
                        "strategy": {"dp": [2, 4], "tp": [1, 2], "pp": [1, 2], "microbatches": 4, "global_batch": 64,
                                     "schedule": "1f1b", "recompute": "none", "zero": 0}, "engine": ")" +
                        engine + "\"" + more + "}",
                    "mlp.json");
}

Options in_worlds(size_t count, Risk risk = Risk::mean) {
  Options options;
  options.worlds = count;
  options.risk   = risk;
  return options;
}

std::vector<Seconds> counted(int count) {
  std::vector<Seconds> times;
  for (int i = count; i > 0; --i) times.emplace_back(i);
  return times;
}

TEST(Spread, HasTheMeanAndTheNearestRank) {
  const Spread spread = spread_of(Seconds(1), counted(20));
  EXPECT_EQ(spread.undisturbed, Seconds(1));
  EXPECT_DOUBLE_EQ(spread.mean.value(), 10.5);
  EXPECT_EQ(spread.p95, Seconds(19));
  EXPECT_EQ(spread_of(Seconds(1), counted(1)).p95, Seconds(1));
  EXPECT_EQ(spread_of(Seconds(1), counted(10)).p95, Seconds(10));
  EXPECT_EQ(spread_of(Seconds(1), counted(21)).p95, Seconds(20));
  EXPECT_EQ(spread_of(Seconds(1), counted(100)).p95, Seconds(95));
}

TEST(Spread, OfEqualTimesIsThatTime) {
  const Spread spread = spread_of(Seconds(2), std::vector<Seconds>(20, Seconds(3)));
  EXPECT_DOUBLE_EQ(spread.mean.value(), 3);
  EXPECT_EQ(spread.p95, Seconds(3));
  EXPECT_EQ(at_risk(spread, Risk::p95), Seconds(3));
}

// World number s of every strategy is the scenario itself with the seed s.
TEST(Worlds, AreThoseThatASimulationWithTheirSeedsShows) {
  const std::string drawn =
      R"({"stragglers": {"share": 0.3, "factor": 1.5, "seed": SEED}, "jitter": {"amplitude": 0.1, "seed": SEED},
          "link_loss": {"share": 0.2, "factor": 0.25, "seed": SEED}})";
  const auto with_seed = [&](int seed) {
    std::string text = drawn;
    for (size_t at; (at = text.find("SEED")) != std::string::npos;) text.replace(at, 4, std::to_string(seed));
    return text;
  };
  const Json source   = question(", \"disturbances\": " + with_seed(77));
  const Result result = search(source, "mlp.json", in_worlds(5));
  ASSERT_FALSE(result.ranked.empty());
  for (const Candidate& candidate : result.ranked) {
    std::vector<Seconds> times;
    for (int seed = 1; seed <= 5; ++seed) {
      Json one = source;
      one.set("strategy", candidate.strategy).set("disturbances", parse_json(with_seed(seed), "world"));
      times.push_back(scenario::run(scenario::load(one, "mlp.json")).summary.iteration_time);
    }
    Json none = question();
    none.set("strategy", candidate.strategy);
    const Spread expected = spread_of(scenario::run(scenario::load(none, "mlp.json")).summary.iteration_time, times);
    ASSERT_TRUE(candidate.spread.has_value());
    EXPECT_DOUBLE_EQ(candidate.spread->mean.value(), expected.mean.value());
    EXPECT_DOUBLE_EQ(candidate.spread->p95.value(), expected.p95.value());
    EXPECT_DOUBLE_EQ(candidate.spread->undisturbed.value(), expected.undisturbed.value());
    EXPECT_GT(expected.p95, expected.undisturbed);
  }
}

TEST(Worlds, AreTheSameForEveryStrategyAndDiffer) {
  const Question asked(question(), "mlp.json", in_worlds(20));
  std::set<std::vector<int>> slow;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<int> devices;
    const auto world = disturbances_of(asked.worlds(), seed, *asked.clusters().front().platform);
    for (const auto& one : world.slowdowns) devices.push_back(one.device);
    EXPECT_EQ(world.jitter.seed, seed);
    slow.insert(devices);
  }
  EXPECT_GT(slow.size(), 3U);
}

TEST(Worlds, RankByTheMeanOrByThePercentile) {
  for (const Risk risk : {Risk::mean, Risk::p95}) {
    const Result result = search(question(), "mlp.json", in_worlds(20, risk));
    ASSERT_GE(result.ranked.size(), 2U);
    EXPECT_TRUE(result.proven);
    for (const Candidate& candidate : result.ranked) {
      EXPECT_EQ(candidate.iteration_time, at_risk(*candidate.spread, risk));
      EXPECT_NEAR(candidate.samples_per_second, 64 / candidate.iteration_time.value(),
                  1e-9 * candidate.samples_per_second);
    }
    for (size_t i = 1; i < result.ranked.size(); ++i)
      EXPECT_GE(result.ranked[i - 1].samples_per_second, result.ranked[i].samples_per_second);
  }
}

TEST(Worlds, AreShownInEveryOutput) {
  const Result result = search(question(), "mlp.json", in_worlds(4, Risk::p95));
  EXPECT_THAT(to_text(result, 3), HasSubstr("Ranked by the 95th percentile over 4 disturbed worlds, the same for all: "
                                            "stragglers {\"share\":0.05,\"factor\":1.1}, "));
  EXPECT_THAT(to_csv(result), HasSubstr("undisturbed_time_s,mean_time_s,p95_time_s"));
  const Json json = to_json(result, 3);
  EXPECT_EQ(*json.find("worlds")->if_int(), 4);
  EXPECT_EQ(*json.find("risk")->if_string(), "p95");
  const Json& first = (*json.find("ranked")->if_array())[0];
  EXPECT_EQ(first.find("disturbed")->find("p95_time_s")->dump(), first.find("iteration_time_s")->dump());
}

TEST(Worlds, ChangeNothingWhereNoneAreAskedFor) {
  const Result result = search(question(), "mlp.json", {});
  EXPECT_EQ(to_json(result, 3).find("worlds"), nullptr);
  EXPECT_FALSE(result.ranked.front().spread.has_value());
  EXPECT_EQ(to_csv(result).find("mean_time_s"), std::string::npos);
}

TEST(Worlds, HaveNoLinksWhereTheEngineHasNone) {
  const Result result = search(question("", "analytic"), "mlp.json", in_worlds(3));
  EXPECT_FALSE(result.ranked.empty());
  EXPECT_EQ(result.disturbances.find("link_loss"), nullptr);
  EXPECT_NE(result.disturbances.find("stragglers"), nullptr);
}

TEST(Worlds, NeedSomethingThatIsDrawn) {
  const Json source = question(R"(, "disturbances": {"slowdowns": [{"device": "node0-gpu0", "factor": 2}]})");
  try {
    search(source, "mlp.json", in_worlds(3));
    FAIL() << "all worlds are the same";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("mlp.json: $.disturbances: has nothing that is drawn, so all worlds are the same"));
  }
}

TEST(Worlds, AnswerTheSameWithAnyNumberOfWorkersMethodAndStore) {
  const test::TemporaryFolder folder;
  for (const char* method : {"exhaustive", "annealing", "beam"}) {
    Options one = in_worlds(3), three = in_worlds(3);
    one.method = three.method = &methods().get(method, "method");
    three.jobs                = 3;
    three.store               = folder / "s.sqlite";
    const std::string answer  = to_json(search(question(), "mlp.json", one), 10).dump();
    EXPECT_EQ(to_json(search(question(), "mlp.json", three), 10).dump(), answer) << method;
    const Result read = search(question(), "mlp.json", three);
    EXPECT_EQ(read.reused, read.evaluated);
    EXPECT_EQ(to_json(read, 10).dump(), answer) << method;
  }
  // What was predicted serves either risk, but no other number of worlds.
  Options other = in_worlds(3, Risk::p95);
  other.store   = folder / "s.sqlite";
  EXPECT_GT(search(question(), "mlp.json", other).reused, 0U);
  other.worlds = 4;
  EXPECT_THROW(search(question(), "mlp.json", other), Error);
}

}  // namespace
}  // namespace foreflow::search::worlds_test
