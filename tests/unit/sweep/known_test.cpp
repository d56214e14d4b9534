// What points of a sweep have in common is worked out once, and changes no answer.
#include <gtest/gtest.h>

#include <set>

#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/run.h"
#include "foreflow/sweep/sweep.h"
#include "sweep/answer.h"

namespace foreflow::sweep::known_test {
namespace {

// Replicas, shards and stages, in and between servers. The named card is as all others at 25 GBps and 2us.
constexpr const char* kQuestion = R"({
  "workload": {"model": "gpt", "layers": 2, "hidden": 256, "heads": 8, "sequence": 64, "vocabulary": 512},
  "strategy": {"dp": [2, 4], "tp": 4, "pp": 2, "microbatches": 4, "global_batch": 16},
  "platform": {"topology": "dgx_a100", "nodes": 4,
               "links": {"nic": {"bandwidth": ["5GBps", "25GBps"], "latency": ["2us", "1ms"]},
                         "node1-nic0": {"bandwidth": ["25GBps", "1GBps"], "latency": "2us"}}}
})";

// Returns the number of different answers.
size_t expect_as_alone(const Json& source, size_t points) {
  const Result result = sweep(source, "s.json", {});
  EXPECT_EQ(result.points.size(), points);
  std::set<std::string> answers;
  for (const Point& point : result.points) {
    const Json alone = scenario::with_choice(source, result.axes, point.choice);
    EXPECT_EQ(point.status, Status::done) << point.why;
    const std::string answer = point.answer.dump_compact();
    EXPECT_EQ(answer, answer_of(scenario::run(scenario::load(alone, "s.json")).summary).dump_compact())
        << alone.dump_compact();
    answers.insert(answer);
  }
  return answers.size();
}

TEST(PointsOfASweep, AreAnsweredAsEachAlone) { expect_as_alone(parse_json(kQuestion, "s.json"), 16); }

// Samples that come one by one need no copies into the order of the sequence.
TEST(PointsOfASweep, AreBuiltForTheirMicrobatches) {
  for (const char* microbatches : {"[1, 2, 4]", "[4, 2, 1]"}) {
    Json source = parse_json(kQuestion, "s.json");
    source.set("platform", parse_json(R"({"topology": "dgx_a100"})", "platform"));
    source.set("strategy", parse_json(R"({"global_batch": 4, "sequence_first": true})", "strategy")
                               .set("microbatches", parse_json(microbatches, "microbatches")));
    EXPECT_EQ(expect_as_alone(source, 3), 3U);
  }
}

// On slow links stages are cut elsewhere. The links are so many that one worker predicts them all.
TEST(PointsOfASweep, AreCutForTheirLinks) {
  for (const char* bandwidths : {R"(["300GBps", "200GBps", "10GBps", "8GBps", "2GBps"])",
                                 R"(["2GBps", "8GBps", "10GBps", "200GBps", "300GBps"])"}) {
    Json source = parse_json(R"({"workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 4, "sequence": 128,
                                              "vocabulary": 8192, "mode": "training", "optimizer": "adam"},
                                 "platform": {"topology": "dgx_a100", "links": {"nvlink": {}}},
                                 "engine": "analytic", "cost": {"model": "roofline"},
                                 "strategy": {"pp": 4, "microbatches": 4, "global_batch": 16, "schedule": "1f1b",
                                              "overlap_sends": false}})",
                             "s.json");
    source.member("platform").member("links").member("nvlink").set("bandwidth", parse_json(bandwidths, "links"));
    EXPECT_EQ(expect_as_alone(source, 5), 5U);
  }
}

}  // namespace
}  // namespace foreflow::sweep::known_test
