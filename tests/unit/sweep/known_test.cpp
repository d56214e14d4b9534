// What points of a sweep have in common is worked out once, and changes no answer.
#include <gtest/gtest.h>

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

TEST(PointsOfASweep, AreAnsweredAsEachAlone) {
  const Json source   = parse_json(kQuestion, "s.json");
  const Result result = sweep(source, "s.json", {});
  ASSERT_EQ(result.points.size(), 16U);
  for (const Point& point : result.points) {
    const Json alone = scenario::with_choice(source, result.axes, point.choice);
    ASSERT_EQ(point.status, Status::done) << point.why;
    EXPECT_EQ(point.answer.dump_compact(),
              answer_of(scenario::run(scenario::load(alone, "s.json")).summary).dump_compact())
        << alone.dump_compact();
  }
}

}  // namespace
}  // namespace foreflow::sweep::known_test
