// Computes beside collectives get along at the share of the processors that is left.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::channels_test {
namespace {

Outcome simulated(const std::string& collective, const std::string& strategy, const std::string& engine,
                  bool fold = true) {
  const std::string text =
      R"({"workload": {"model": "mlp", "layers": 8, "hidden": 4096, "dtype": "bf16", "optimizer": "sgd"},
          "platform": {"topology": "dgx_a100"}, "cost": {"model": "roofline"}, "engine": ")" +
      engine + R"(", "collective": {)" + collective + R"(}, "strategy": {"dp": 8, "global_batch": 32768)" + strategy +
      "}}";
  Scenario scenario        = load(parse_json(text, "channels.json"), "channels.json");
  scenario.simulation.fold = fold;
  return run(scenario);
}

constexpr const char* kOverlap = R"(, "overlap_gradients": true, "bucket_size": "32MB")";

// All sums but the last hide behind the backward pass, which loses 24 of 108 processors for as long. The last one
// starts as early as without that, so what the backward pass takes longer hides it.
TEST(Channels, CostWhatIsBesideThemTheirShare) {
  const Outcome without = simulated("", kOverlap, "analytic"),
                with    = simulated(R"("channels": 24)", kOverlap, "analytic");
  double sums = 0, one = 0;
  for (const auto& row : without.summary.collectives) {
    if (row.kind != "all_reduce") continue;
    sums += row.time.value();
    one = row.time.value() / static_cast<double>(row.count);
  }
  const double lost = (with.summary.iteration_time - without.summary.iteration_time).value();
  EXPECT_GT(sums, 4 * one);
  EXPECT_NEAR(lost, 24.0 / 108 * sums - one, 0.01 * sums);
}

// The last bucket is handed over between the last compute and the wait; no message is sent anywhere.
TEST(Channels, CostTimeOfComputing) {
  const report::Summary without       = simulated("", kOverlap, "analytic").summary,
                        with          = simulated(R"("channels": 24)", kOverlap, "analytic").summary;
  const report::DeviceSummary& device = with.devices[0];
  double computing = 0, path = 0;
  for (const report::OpTime& op : with.ops) {
    EXPECT_NE(op.name, "Send");
    if (op.name != "MPIAllreduce") computing += op.seconds.value();
  }
  for (const report::Segment& segment : with.critical_path) path += segment.seconds.value();
  EXPECT_NEAR(device.compute.value(), computing, 1e-9 * computing);
  EXPECT_NEAR(device.communication.value(), without.devices[0].communication.value(), 1e-9 * computing);
  EXPECT_NEAR(path, with.iteration_time.value(), 1e-9 * path);
}

TEST(Channels, CostNothingWhereNothingIsBesideThem) {
  for (const char* strategy : {"", R"(, "zero": 1)"})
    EXPECT_EQ(simulated(R"("channels": 24)", strategy, "analytic").summary.iteration_time,
              simulated("", strategy, "analytic").summary.iteration_time);
}

TEST(Channels, CostTheSameInEveryEngineFoldedOrNot) {
  for (const char* strategy : {kOverlap, R"(, "overlap_gradients": true, "zero": 3)",
                               R"(, "overlap_gradients": true, "zero": 2, "microbatches": 4)"}) {
    const double expected = simulated(R"("channels": 24)", strategy, "analytic").summary.iteration_time.value();
    for (const bool fold : {true, false}) {
      for (const char* engine : {"analytic", "simgrid"})
        EXPECT_NEAR(simulated(R"("channels": 24)", strategy, engine, fold).summary.iteration_time.value(), expected,
                    1e-9 * expected)
            << engine << strategy;
    }
  }
}

TEST(Channels, AreFewerThanTheProcessors) {
  EXPECT_THROW(simulated(R"("channels": 108)", kOverlap, "analytic"), Error);
  EXPECT_THROW(simulated(R"("channels": -1)", kOverlap, "analytic"), Error);
}

}  // namespace
}  // namespace foreflow::scenario::channels_test
