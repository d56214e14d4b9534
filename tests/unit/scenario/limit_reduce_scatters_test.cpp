// strategy.limit_reduce_scatters: how many whole gradients wait for their reduce-scatters, and what that costs.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/idle.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::limit_reduce_scatters_test {
namespace {

// A matrix of 16 bits a layer, which is a unit by itself.
constexpr int kLayers    = 16;
constexpr double kHidden = 1024, kUnit = kHidden * kHidden * 2;
const std::string kLimits = R"(, "limit_reduce_scatters": true)", kUnits = R"(, "shard_unit": "block")";

Scenario loaded(const std::string& strategy, const std::string& batch = "64", const std::string& engine = "analytic") {
  const std::string text =
      R"({"workload": {"model": "mlp", "layers": 16, "hidden": 1024, "dtype": "f16"},
          "platform": {"topology": "dgx_a100", "links": {"nvlink": {"bandwidth": "1GBps"}}},
          "cost": {"model": "roofline"}, "engine": ")" +
      engine + R"(", "strategy": {"global_batch": )" + batch + ", " + strategy +
      (strategy.find("overlap_gradients") == std::string::npos ? R"(, "overlap_gradients": true)" : "") + "}}";
  return load(parse_json(text, "limited.json"), "limited.json");
}

Outcome simulated(const std::string& strategy, const std::string& batch = "64", const std::string& engine = "analytic",
                  bool fold = true) {
  Scenario scenario        = loaded(strategy, batch, engine);
  scenario.simulation.fold = fold;
  return run(scenario);
}

double iteration(const Outcome& outcome) { return outcome.summary.iteration_time.value(); }

// From when a device has packed gradients until their sum has ended.
struct Wait {
  Seconds packed, summed;
};

std::vector<Wait> waits(const stream::Program& program, const stream::Timeline& timeline, size_t exchange) {
  const stream::Stream& stream = program.streams[exchange];
  size_t main                  = 0;
  while (program.streams[main].device != stream.device || program.streams[main].name.find('.') != std::string::npos)
    ++main;
  std::vector<Wait> found;
  for (size_t i = 1; i < stream.items.size(); ++i) {
    const stream::Item& item = stream.items[i];
    if (item.instance < 0 || nth(program.communications, item.event).name != "MPIReduceScatter") continue;
    const auto& items   = program.streams[main].items;
    const auto handover = std::find_if(items.begin(), items.end(), [&](const stream::Item& one) {
      return one.instance == stream.items[i - 1].instance;
    });
    const auto place    = static_cast<size_t>(handover - items.begin());
    found.push_back({timeline.records[main].at(place).start, timeline.records[exchange][i].end});
  }
  return found;
}

// The most buckets or units of one device that wait or travel at a time.
int most_waiting(const Outcome& outcome) {
  int most = 0;
  for (size_t s = 0; s < outcome.program.streams.size(); ++s) {
    if (!outcome.program.streams[s].name.ends_with(".comm")) continue;
    const std::vector<Wait> all = waits(outcome.program, outcome.timeline, s);
    for (const Wait& one : all) {
      most = std::max(most, static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Wait& other) {
                        return other.packed <= one.packed && one.packed < other.summed;
                      })));
    }
  }
  return most;
}

const std::string kWays[] = {
    R"("dp": 8, "zero": 2, "bucket_size": "4MB")",
    R"("dp": 8, "zero": 2, "microbatches": 2, "reduce_dtype": "f32", "shard_unit": "block")",
    R"("dp": 4, "tp": 2, "zero": 2, "microbatches": 2, "bucket_size": "1MB", "overlap_tensor": 2)",
    R"("dp": 4, "pp": 2, "zero": 2, "microbatches": 4, "schedule": "1f1b", "shard_unit": "block")",
    R"("dp": 4, "pp": 2, "zero": 2, "microbatches": 4, "schedule": "interleaved_1f1b", "shard_unit": "block")",
    R"("dp": 4, "pp": 2, "zero": 2, "microbatches": 4, "schedule": "zb_h1", "shard_unit": "block")"};

TEST(LimitReduceScatters, LetsOneUnitWaitWhereManyWould) {
  for (const std::string& way : kWays) {
    EXPECT_GT(most_waiting(simulated(way)), 2) << way;
    EXPECT_EQ(most_waiting(simulated(way + kLimits)), 1) << way;
  }
}

// Beside split weights the gather of the next unit, which a device needs, holds it, too.
TEST(LimitReduceScatters, LetsOneUnitWaitBesideSplitWeights) {
  for (const std::string microbatches : {"1", "4"}) {
    const std::string way = fmt::format(R"("dp": 8, "zero": 3, "microbatches": {}{}{})", microbatches, kUnits, kLimits);
    EXPECT_EQ(most_waiting(simulated(way)), 1);
  }
}

// At the end of the backward pass the gradients of all layers wait for the first sum; with a limit, the gradient of one
// layer is summed while that of the next one is there. A sum leaves one of 8 parts. Activations are 8 samples of 2 KB.
TEST(LimitReduceScatters, HoldsTheGradientsOfTwoUnits) {
  constexpr double kWeights = kLayers * kUnit, kPart = kUnit / 8, kActivations = 0.05 * kUnit;
  const auto beside_weights = [](const std::string& strategy) {
    return simulated(strategy + kUnits).summary.devices[0].peak_memory.value() - kWeights;
  };
  const std::string way = R"("dp": 8, "zero": 2)";
  EXPECT_NEAR(beside_weights(way), kLayers * kUnit + kPart, kActivations);
  EXPECT_NEAR(beside_weights(way + kLimits), 2 * kUnit + (kLayers - 1) * kPart, kActivations);
}

// Where messages share links, those that are apart in time can be faster than those that are not.
TEST(LimitReduceScatters, MakesNothingFaster) {
  for (const std::string& way : kWays) {
    const double without = iteration(simulated(way));
    EXPECT_GE(iteration(simulated(way + kLimits)), (1 - 1e-9) * without) << way;
  }
}

TEST(LimitReduceScatters, IsTheSameInAllEngines) {
  for (const std::string& way : kWays) {
    const double expected = iteration(simulated(way + kLimits, "64", "simgrid"));
    EXPECT_NEAR(iteration(simulated(way + kLimits, "64", "simgrid", false)), expected, 1e-9 * expected) << way;
    EXPECT_NEAR(iteration(simulated(way + kLimits, "64", "simgrid_flows")), expected, 1e-9 * expected) << way;
    if (way.find("\"dp\": 8") == std::string::npos) continue;  // sums share links with other messages
    EXPECT_NEAR(iteration(simulated(way + kLimits)), expected, 1e-9 * expected) << way;
  }
}

// 1 s of communication beside more computing: each sum ends before the gradients of the next layer are there.
TEST(LimitReduceScatters, CostsNothingWhereSumsAreShorterThanLayers) {
  const std::string way = R"("dp": 8, "zero": 2)" + kUnits;
  const double without  = iteration(simulated(way, "16777216"));
  EXPECT_EQ(most_waiting(simulated(way, "16777216")), 1);
  EXPECT_NEAR(iteration(simulated(way + kLimits, "16777216")), without, 1e-9 * without);
}

std::string why_idle(const std::string& strategy) {
  const Scenario scenario = loaded(strategy + kLimits);
  for (const IdleKey& key : idle_keys(scenario, run(scenario).summary)) {
    if (key.where.find("limit_reduce_scatters") != std::string::npos) return key.why;
  }
  return "";
}

TEST(LimitReduceScatters, SaysWhereItChangesNothing) {
  EXPECT_EQ(why_idle(R"("dp": 8, "zero": 2)"), "");
  EXPECT_EQ(why_idle(R"("dp": 8, "zero": 3)"), "");
  EXPECT_EQ(why_idle(R"("dp": 8, "zero": 1)"), "whole gradients are kept");
  EXPECT_EQ(why_idle(R"("dp": 1, "zero": 2)"), "dp and cp are 1");
  EXPECT_EQ(why_idle(R"("dp": 8, "zero": 2, "overlap_gradients": false)"), "sums hold the device");
}

}  // namespace
}  // namespace foreflow::scenario::limit_reduce_scatters_test
