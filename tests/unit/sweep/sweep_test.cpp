#include "foreflow/sweep/sweep.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "foreflow/scenario/run.h"
#include "support/children.h"
#include "support/temporary.h"
#include "sweep/answer.h"

namespace foreflow::sweep::sweep_test {
namespace {

Json question(const std::string& strategy = R"({"dp": [1, 2, 3], "tp": [1, 2], "global_batch": 64})") {
  return parse_json(
      R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "platform": {"topology": "dgx2", "nodes": [1, 2]},
          "engine": "analytic", "strategy": )" +
          strategy + "}",
      "mlp.json");
}

Options keeping(const std::string& store, int jobs = 1) {
  Options options;
  options.store   = store;
  options.version = "1.2.3";
  options.jobs    = jobs;
  return options;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error was thrown";
}

std::string all_of(const Result& result) { return to_json(result).dump() + to_csv(result) + to_text(result, 100); }

// What the chain says of every point when it keeps nothing from one to the next.
std::vector<std::string> alone(const Json& source) {
  const auto axes = scenario::axes(source, "mlp.json");
  std::vector<std::string> answers;
  for (size_t i = 0; i < scenario::count_points(axes, "mlp.json"); ++i) {
    const Json point = scenario::with_choice(source, axes, scenario::choice_of(axes, i));
    try {
      answers.push_back(answer_of(scenario::run(scenario::load(point, "mlp.json")).summary).dump());
    } catch (const Error& error) {
      answers.emplace_back(error.what());
    }
  }
  return answers;
}

std::vector<std::string> answers_of(const Result& result) {
  std::vector<std::string> answers;
  for (const Point& point : result.points)
    answers.push_back(point.status == Status::done ? point.answer.dump() : "mlp.json: " + point.why);
  return answers;
}

TEST(Sweep, AnswersEveryPointAsTheChainDoesAlone) {
  EXPECT_EQ(answers_of(sweep(question(), "mlp.json", {})), alone(question()));
}

TEST(Sweep, KeepsForTheNextPointOnlyWhatBothShare) {
  const Json source = parse_json(
      R"({"workload": {"model": "mlp", "layers": 2, "hidden": [1024, 2048], "mode": ["training", "inference"]},
          "cost": {"model": ["roofline", "distir"]}, "engine": ["analytic", "simgrid"],
          "platform": {"topology": ["dgx2", "p4d"], "nodes": 2, "links": {"nvlink": {"bandwidth": ["1GBps", "9GBps"]}}},
          "strategy": {"dp": 4, "tp": [2, 8], "pp": 1, "global_batch": [64, 128]}})",
      "mlp.json");
  const Result result = sweep(source, "mlp.json", keeping("", 2));
  EXPECT_EQ(answers_of(result), alone(source));
  for (const Effect& effect : effects(result)) EXPECT_GT(effect.mean, 1) << result.axes[effect.axis].path();
}

TEST(Sweep, HasTheSameBytesForAnyNumberOfWorkers) {
  const std::string expected = all_of(sweep(question(), "mlp.json", keeping("", 1)));
  for (const int jobs : {2, 3, 4})
    EXPECT_EQ(all_of(sweep(question(), "mlp.json", keeping("", jobs))), expected) << jobs;
}

TEST(Sweep, GoesOnWhereItWas) {
  const test::TemporaryFolder folder;
  const std::string store = folder / "s.sqlite";
  Options options         = keeping(store);
  options.finished        = [](size_t done, size_t) {
    if (done == 5) throw Error("user", "has seen enough");
  };
  EXPECT_THROW(sweep(question(), "mlp.json", options), Error);
  size_t kept = 0, worked = 0;
  options.begun             = [&](size_t already, size_t) { kept = already; };
  options.finished          = [&](size_t, size_t) { ++worked; };
  const std::string resumed = all_of(sweep(question(), "mlp.json", options));
  EXPECT_EQ(kept, 5U);
  EXPECT_EQ(worked, 7U);
  EXPECT_EQ(resumed, all_of(sweep(question(), "mlp.json", keeping(""))));
}

TEST(Sweep, TriesPointsWhoseWorkerDiedAgain) {
  const test::TemporaryFolder folder;
  Options options  = keeping(folder / "s.sqlite");
  options.finished = [](size_t done, size_t) {
    if (done != 3) return;
    for (const pid_t worker : test::children_of(::getpid())) ::kill(worker, SIGKILL);  // one, about to get point 4
  };
  const Result first = sweep(question(), "mlp.json", options);
  for (size_t i = 0; i < first.points.size(); ++i) EXPECT_EQ(first.points[i].status == Status::crashed, i == 3) << i;
  EXPECT_EQ(first.points[3].why, "worker: the worker process was ended by signal 9 (Killed)");
  size_t kept      = 0;
  options.finished = {};
  options.begun    = [&](size_t already, size_t) { kept = already; };
  EXPECT_EQ(all_of(sweep(question(), "mlp.json", options)), all_of(sweep(question(), "mlp.json", keeping(""))));
  EXPECT_EQ(kept, 11U);
}

TEST(Sweep, RefusesAScenarioThatIsWrongAtEveryPointInTheSameWay) {
  Json source = question();
  source.set("platfrom", 1);
  EXPECT_EQ(message_of([&] { sweep(source, "mlp.json", {}); }),
            R"(mlp.json: $.platfrom: unknown key "platfrom"; the nearest is "platform")");
}

TEST(Sweep, RefusesAScenarioOfWhichEveryValueOfAnAxisIsWrong) {
  Json source = question();
  source.member("workload").set("model", parse_json(R"(["mpl", "mlq"])", "test"));
  EXPECT_THAT(message_of([&] { sweep(source, "mlp.json", {}); }), testing::HasSubstr("\"mpl\""));
}

TEST(Sweep, RefusesValuesThatAreOfAnotherKindThanTheirKeys) {
  const auto message = [](const char* strategy) {
    return message_of([&] { sweep(question(strategy), "mlp.json", {}); });
  };
  EXPECT_EQ(message(R"({"dp": [1, "fill"], "global_batch": 64})"),
            "mlp.json: $.strategy.dp[1]: expected a whole number, found \"fill\"");
  EXPECT_EQ(message(R"({"dp": [1, 2], "tp": "any"})"),
            "mlp.json: $.strategy.tp: expected a whole number, found \"any\"");
  EXPECT_EQ(message(R"([{"dp": 1}, {"dp": [2, true]}])"),
            "mlp.json: $.strategy[1].dp[1]: expected a whole number, found true");
}

TEST(Sweep, SaysOfEveryPointWhyItIsRefused) {
  const Result result = sweep(question(R"({"dp": [3, 5], "global_batch": 64})"), "mlp.json", {});
  ASSERT_EQ(result.points.size(), 4U);
  for (const Point& point : result.points) {
    EXPECT_EQ(point.status, Status::failed);
    EXPECT_THAT(point.why, testing::HasSubstr("$.strategy."));
  }
  EXPECT_THAT(to_text(result, 3), testing::EndsWith("\nNo point works\n"));
}

TEST(Sweep, BlamesMemoryOnlyForPointsThatHaveAnAnswer) {
  Json large = question(R"({"dp": 1, "global_batch": 64})");
  large.member("workload").set("hidden", 200000);
  large.member("platform").set("nodes", 1);
  const std::string one = to_text(sweep(large, "mlp.json", {}), 3);
  EXPECT_THAT(one, testing::StartsWith("1 point: 1 done (1 do not fit in memory), 0 failed, 0 crashed\n"));
  EXPECT_THAT(one, testing::EndsWith("\nNo point works in the memory that there is\n"));
  large.member("strategy").set("dp", parse_json("[1, 3]", "test"));
  EXPECT_THAT(to_text(sweep(large, "mlp.json", {}), 3),
              testing::EndsWith("\nNo point that could be predicted fits in memory\n"));
}

}  // namespace
}  // namespace foreflow::sweep::sweep_test
