#include "foreflow/scenario/demand.h"

#include <gtest/gtest.h>

namespace foreflow::scenario::demand_test {
namespace {

constexpr int kLayers = 4, kHidden = 256, kBatch = 32;

Scenario mlp(int tp, int batch, const std::string& mode = "training") {
  return load(parse_json(R"({"workload": {"model": "mlp", "layers": )" + std::to_string(kLayers) + R"(, "hidden": )" +
                             std::to_string(kHidden) + R"(, "dtype": "f16", "optimizer": "sgd", "mode": ")" + mode +
                             R"("}, "platform": {"topology": "dgx2"}, "engine": "analytic", "strategy": {"tp": )" +
                             std::to_string(tp) + R"(, "global_batch": )" + std::to_string(batch) + "}}",
                         "mlp.json"),
              "mlp.json");
}

Demand demand(const Scenario& scenario) { return demand_of(scenario, *load_platform(scenario.platform)); }

TEST(Demand, HasTheWeightsOfOneDevice) {
  const double all = 2.0 * kLayers * kHidden * kHidden;  // bytes of Float16
  EXPECT_EQ(demand(mlp(1, kBatch)).weights.value(), all);
  EXPECT_EQ(demand(mlp(4, kBatch)).weights.value(), all / 4);
}

TEST(Demand, OfTheWholeBatchIsTheIteration) {
  const Scenario scenario = mlp(1, kBatch);
  const Demand all        = demand(scenario);
  const Seconds time      = run(scenario).summary.iteration_time;
  EXPECT_NEAR((all.parts.at(kBatch).compute + all.once + all.whole) / time, 1, 1e-12);
}

TEST(Demand, OfAMicrobatchIsThatOfASmallerBatch) {
  const Demand large = demand(mlp(2, kBatch)), small = demand(mlp(2, kBatch / 4));
  EXPECT_NEAR(large.parts.at(kBatch / 4).compute / small.parts.at(kBatch / 4).compute, 1, 1e-12);
  EXPECT_EQ(large.parts.at(kBatch / 4).working_set, small.parts.at(kBatch / 4).working_set);
  EXPECT_EQ(large.parts.size(), 6U);  // 1, 2, 4, 8, 16, 32
}

TEST(Demand, HasAMessageForEachPairOfLayersAndDirection) {
  const Demand all = demand(mlp(2, kBatch));
  int64_t count    = 0;
  for (const Message& message : all.parts.at(1).network) {
    EXPECT_EQ(message.kind, collective::Kind::all_reduce);
    EXPECT_EQ(message.ranks, (std::vector<int>{0, 1}));
    EXPECT_EQ(message.bytes.value(), 2.0 * kHidden);  // of one sample
    count += message.count;
  }
  EXPECT_GE(count, kLayers / 2);  // forward; backward needs one pair fewer, as nobody wants the gradient of the input
  EXPECT_LE(count, kLayers);
}

TEST(Demand, ReadsBackWhatItWrote) {
  const Demand written = demand(mlp(2, kBatch));
  const Json json      = to_json(written);
  EXPECT_EQ(to_json(read_demand(JsonView(parse_json(json.dump(), "d"), "d"))).dump(), json.dump());
}

// n ranks on one switch: 2 (n - 1) / n of the bytes through each port, and latencies.
TEST(Demand, AMessageAloneTakesAtLeastItsBytesThroughOnePort) {
  const Scenario scenario = mlp(4, kBatch);
  const auto platform     = load_platform(scenario.platform);
  const Bytes bytes(1e9);
  const std::vector<int> all = {0, 1, 2, 3};
  simulate::TimesAlone times(*platform);
  const Seconds time = least_all_reduce(scenario, bytes, all, {0, all}, times);
  BytesPerSecond port;
  for (const platform::Link& link : platform->links()) {
    if (link.kind == "nvlink") port = std::max(port, link.payload());
  }
  EXPECT_GE(time / (1.5 * bytes / port), 1);
  EXPECT_LE(time / (1.5 * bytes / port), 1.2);
}

}  // namespace
}  // namespace foreflow::scenario::demand_test
