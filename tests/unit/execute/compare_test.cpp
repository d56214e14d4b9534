#include "foreflow/execute/compare.h"

#include <gmock/gmock.h>

#include "foreflow/base/json.h"

namespace foreflow::execute::compare_test {
namespace {

cost::Measurement product(double seconds, int64_t count) {
  cost::Measurement row;
  row.op        = "MatMul";
  row.dtype     = "f32";
  row.signature = "MatMul(f32[2x4] f32[4x4]) -> f32[2x4]";
  row.flops     = Flops(64);
  row.read      = Bytes(96);
  row.written   = Bytes(32);
  row.count     = count;
  row.time      = Seconds(seconds);
  row.fastest   = row.time;
  return row;
}

// Profiled at 2 s; then measured at 2.5 s, 3 times in each of 2 iterations.
std::vector<Compared> rows() {
  const std::vector<cost::Measurement> profile{product(2, 1)};
  const Prediction prediction{Seconds(9), {{"D1", Seconds(6), Seconds(2), Seconds(0)}}, {}, {}};
  Execution whole, detailed;
  whole.iterations      = {Seconds(8), Seconds(10), Seconds(30)};
  detailed.iterations   = {Seconds(11), Seconds(12)};
  detailed.ranks        = {{"D1", Seconds(7.5), Seconds(2.5), Seconds(0)}};
  detailed.measurements = {product(2.5, 6)};
  return compare(prediction, cost::fit(profile), whole, detailed);
}

TEST(Compare, SetsTheMedianIterationTheProcessesAndTheOpsBesideThePrediction) {
  const auto all = rows();
  std::vector<std::string> names;
  for (const Compared& row : all) names.push_back(row.name);
  EXPECT_THAT(names, testing::ElementsAre("iteration", "D1 compute", "D1 communication", "MatMul"));  // nobody waited
  EXPECT_EQ(all[0].measured, Seconds(10));
  EXPECT_EQ(all[0].predicted, Seconds(9));
  EXPECT_NEAR(all[0].relative_error(), -0.1, 1e-12);
  EXPECT_EQ(all[3].measured, Seconds(7.5));
  EXPECT_NEAR(all[3].predicted.value(), 6, 1e-9);
}

TEST(Compare, WritesBothTimelinesAsProcessesOfATrace) {
  const Prediction prediction{
      Seconds(2), {{"D1", Seconds(2), Seconds(0), Seconds(0)}}, {{0, "Relu", false, Seconds(0), Seconds(2)}}, {}};
  Execution run;
  run.ranks         = {{"D1", Seconds(3), Seconds(0), Seconds(0)}};
  run.timeline      = {{0, "Relu(f32[2]) -> f32[2]", false, Seconds(0), Seconds(3)}};
  const Json json   = parse_json(trace(prediction, run), "trace");
  const auto events = JsonView(json, "trace").at("traceEvents").items();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at("args").at("name").as_string(), "D1 measured");
  EXPECT_EQ(events[2].at("args").at("name").as_string(), "D1 predicted");
  EXPECT_EQ(events[1].at("dur").as_number(), 3e6);
  EXPECT_EQ(events[3].at("pid").as_int(), events[2].at("pid").as_int());
}

}  // namespace
}  // namespace foreflow::execute::compare_test
