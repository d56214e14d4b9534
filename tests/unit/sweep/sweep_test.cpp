#include "foreflow/sweep/sweep.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>

#include "foreflow/scenario/run.h"
#include "support/children.h"
#include "support/temporary.h"
#include "sweep/answer.h"

namespace foreflow::sweep {
namespace {

Json question(const std::string& strategy = R"({"dp": [1, 2, 3], "tp": [1, 2], "global_batch": 64})") {
  return parse_json(
      R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "platform": {"topology": "dgx2", "nodes": [1, 2]},
          "engine": "analytic", "strategy": )" + strategy + "}", "mlp.json");
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

TEST(Sweep, AnswersEveryPointAsTheChainDoesAlone) {
  const Json source   = question();
  const Result result = sweep(source, "mlp.json", {});
  ASSERT_EQ(result.points.size(), 12U);
  for (const Point& point : result.points) {
    const bool legal = point.choice[1] != 2;  // dp = 3 does not divide the batch
    ASSERT_EQ(point.status, legal ? Status::done : Status::failed);
    if (!legal) {
      EXPECT_EQ(point.why, "$.strategy.dp: 3 does not divide the global batch 64; use 1, 2, 4, 8, 16, 32 or 64");
      continue;
    }
    const auto alone = scenario::run(scenario::load(scenario::with_choice(source, result.axes, point.choice), "mlp.json"));
    EXPECT_EQ(point.answer.dump(), answer_of(alone.summary).dump());
  }
}

TEST(Sweep, HasTheSameBytesForAnyNumberOfWorkers) {
  const std::string expected = all_of(sweep(question(), "mlp.json", keeping("", 1)));
  for (const int jobs : {2, 3, 4}) EXPECT_EQ(all_of(sweep(question(), "mlp.json", keeping("", jobs))), expected) << jobs;
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
  options.begun    = [&](size_t already, size_t) { kept = already; };
  options.finished = [&](size_t, size_t) { ++worked; };
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

}  // namespace
}  // namespace foreflow::sweep
