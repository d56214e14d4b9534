// What ZeRO saves and what it sends (Rajbhandari et al., 2020): of P parameters over d replicas in mixed precision with
// Adam a device keeps 2 + 2 + 12, 4 + 12/d, 2 + 14/d or 16/d bytes each, and sends 2P, 2P, 2P or 3P elements in rings.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::zero_test {
namespace {

constexpr double kLayers = 160, kHidden = 256, kParameters = kLayers * kHidden * kHidden;

Outcome simulated(const std::string& strategy, const std::string& workload = "") {
  const std::string text =
      R"({"workload": {"model": "mlp", "layers": 160, "hidden": 256, "dtype": "f16", "optimizer": "adam")" + workload +
      R"(}, "platform": {"topology": "dgx_a100"}, "engine": "analytic", "cost": {"model": "roofline"}, "strategy": {)" +
      strategy + "}}";
  return run(load(parse_json(text, "mlp.json"), "mlp.json"));
}

std::string strategy(int dp, int zero, bool overlap, int microbatches) {
  return R"("bucket_size": "200kB", "dp": )" + std::to_string(dp) + R"(, "zero": )" + std::to_string(zero) +
         R"(, "global_batch": )" + std::to_string(dp * microbatches) + R"(, "microbatches": )" +
         std::to_string(microbatches) + R"(, "overlap_gradients": )" + (overlap ? "true" : "false");
}

double formula(int zero, double dp) {
  const std::array bytes = {16.0, 4 + 12 / dp, 2 + 14 / dp, 16 / dp};
  return nth(bytes, zero);
}

using stream::MemoryClass;

// A bucket of 200 kB is full with two weights, and so is a unit of weights that are gathered together.
constexpr double kBucket = 2 * 2 * kHidden * kHidden;

// What is on its way at the peak besides the formula's bytes. A bucket is a copy of its gradients: those that are kept
// (stages 0 and 1) need one more, at the end of the backward pass, or in its last microbatch half as much, a weight's
// gradient before it is added, while activations are there. Those that are not kept are there twice, and on a stream of
// communication (`overlap`) with those that are sent at the time. At the end of one microbatch the rows of the last
// bucket are still to come; of the last one of several there are those to be added to, but with stage 3 not yet the new
// ones.
double under_way(int zero, double dp, bool overlap, int microbatches) {
  if (zero < 2) return microbatches == 1 || overlap ? kBucket : kBucket / 2;
  if (microbatches == 1) return (overlap ? 3 : 2) * kBucket - kBucket / dp;
  if (!overlap) return 2 * kBucket;
  return zero == 3 ? 3 * kBucket : 3 * kBucket + kBucket / dp;
}

class Zero : public testing::TestWithParam<std::tuple<int, int, bool>> {};

TEST_P(Zero, KeepsWhatItsFormulaSays) {
  const auto [zero, dp, overlap] = GetParam();
  for (const int microbatches : {1, 2}) {
    const Outcome outcome = simulated(strategy(dp, zero, overlap, microbatches));
    const auto peaks      = report::memory_peaks(outcome.summary, outcome.program, outcome.timeline);
    ASSERT_EQ(peaks.size(), 1u);
    const auto held        = [&](MemoryClass kind) { return nth(peaks[0].classes, kind).value(); };
    const double of_states = held(MemoryClass::parameters) + held(MemoryClass::gradients) +
                             held(MemoryClass::optimizer_state) + held(MemoryClass::communication);
    const double expected = formula(zero, dp) * kParameters + under_way(zero, dp, overlap, microbatches);
    EXPECT_EQ(held(MemoryClass::parameters), (zero == 3 ? 2.0 / dp : 2) * kParameters);
    EXPECT_EQ(held(MemoryClass::optimizer_state), (zero == 0 ? 12 : 12.0 / dp) * kParameters);
    EXPECT_EQ(of_states, expected) << microbatches << " microbatches";
    // With the activations that remain.
    EXPECT_NEAR(peaks[0].size.value(), expected, 0.01 * expected);
  }
}

// All that is sent is in a class of its own, by name.
TEST(ZeroMemory, NamesWhatIsUnderWay) {
  const Outcome outcome = simulated(strategy(4, 3, true, 1));
  const auto peak       = report::memory_peaks(outcome.summary, outcome.program, outcome.timeline).at(0);
  std::map<std::string, double> sent;  // in buckets
  for (const report::Alive& alive : peak.alive) {
    if (alive.kind == MemoryClass::communication) sent[alive.name] = alive.size.value() / kBucket;
  }
  EXPECT_EQ(sent, (std::map<std::string, double>{{"gradient of w1", 0.5},
                                                 {"gradient of w2", 0.5},
                                                 {"gradients of w2 and 1 more", 1},
                                                 {"gradients of w4 and 1 more", 1}}));
}

// Bytes that each device sends, by name of collective: those of a ring of n are (n - 1) / n of the message for a gather
// or a scatter, twice as many for an all-reduce.
std::map<std::string, double> elements_sent(const stream::Program& program) {
  std::map<std::string, double> sent;
  for (const stream::Instance& instance : program.instances) {
    const stream::Communication& what = nth(program.communications, instance.communication);
    if (what.kind == collective::Kind::send) continue;
    const auto n = static_cast<double>(instance.members.ranks());
    sent[what.name] += (what.kind == collective::Kind::all_reduce ? 2 : 1) * (n - 1) / n * what.bytes.value() / 2;
  }
  return sent;
}

TEST_P(Zero, SendsTwiceTheParametersAndThreeTimesWithSplitWeights) {
  const auto [zero, dp, overlap] = GetParam();
  const double share             = (dp - 1.0) / dp;
  const auto sent                = elements_sent(simulated(strategy(dp, zero, overlap, 1)).program);
  const std::map<std::string, double> expected =
      zero == 0 ? std::map<std::string, double>{{"MPIAllreduce", 2 * share * kParameters}}
                : std::map<std::string, double>{{"MPIAllgather", (zero == 3 ? 2 : 1) * share * kParameters},
                                                {"MPIReduceScatter", share * kParameters}};
  EXPECT_EQ(sent, expected);
}

INSTANTIATE_TEST_SUITE_P(Replicas, Zero,
                         testing::Combine(testing::Range(0, 4), testing::Values(2, 4, 8), testing::Bool()),
                         [](const auto& info) {
                           return "zero" + std::to_string(std::get<0>(info.param)) + "_dp" +
                                  std::to_string(std::get<1>(info.param)) +
                                  (std::get<2>(info.param) ? "_overlapped" : "");
                         });

// Gradients are summed over the microbatches before they are sent, except where no device keeps them whole.
TEST(ZeroWithMicrobatches, SendsGradientsOnceUnlessTheyAreSplit) {
  const double share = 0.75;
  for (const int zero : {0, 1}) {
    const auto once = elements_sent(simulated(strategy(4, zero, true, 1)).program);
    EXPECT_EQ(elements_sent(simulated(strategy(4, zero, true, 4)).program), once);
  }
  auto split = elements_sent(simulated(strategy(4, 2, true, 4)).program);
  EXPECT_EQ(split["MPIReduceScatter"], 4 * share * kParameters);
  EXPECT_EQ(split["MPIAllgather"], share * kParameters);
  auto weights = elements_sent(simulated(strategy(4, 3, true, 4)).program);
  EXPECT_EQ(weights["MPIAllgather"], 4 * 2 * share * kParameters);
}

// Weights of 2 bytes and 12 bytes of states, over the ranks of contexts and replicas; of a data set 64 positions of 8
// bytes each, which contexts split.
TEST(ZeroBesideContexts, SplitsOverAllRanksThatHoldCopies) {
  constexpr double kWide = 256, kInner = 512, kWords = 1024, kSamples = 8, kPositions = 64;
  constexpr double kAll = 2 * (4 * kWide * kWide + 3 * kWide * kInner + 2 * kWide) + 2 * kWords * kWide + kWide;
  for (const auto& [dp, cp, tp] : {std::tuple{1, 8, 1}, {2, 4, 1}, {1, 4, 2}, {2, 2, 2}}) {
    for (const int zero : {1, 2, 3}) {
      const std::string text = R"({"workload": {"model": "llama", "layers": 2, "hidden": 256, "heads": 4, "kv_heads": 4,
        "feed_forward": 512, "vocabulary": 1024, "sequence": 64, "dtype": "bf16", "mode": "training",
        "optimizer": "adam"}, "platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
        "strategy": {"global_batch": 8, "vocabulary_parallel": true, "dp": )" +
                               std::to_string(dp) + R"(, "cp": )" + std::to_string(cp) + R"(, "tp": )" +
                               std::to_string(tp) + R"(, "zero": )" + std::to_string(zero) + "}}";
      const Outcome outcome = run(load(parse_json(text, "contexts.json"), "contexts.json"));
      // Norms are whole on every shard.
      const double own = (kAll - 5 * kWide) / tp + 5 * kWide, ways = dp * cp;
      const double data = kSamples / dp * kPositions / cp * 8;
      for (const auto& device : outcome.program.devices) {
        const double expected = (zero == 3 ? 14 / ways : 2 + 12 / ways) * own + data;
        EXPECT_NEAR(device.initial.value() / expected, 1, 1e-2) << dp << " " << cp << " " << tp << " zero " << zero;
      }
    }
  }
}

// A row of 3 * 3 elements over 4 replicas is 3 elements, of which the last replica has none.
TEST(ZeroPadding, Counts) {
  const std::string text =
      R"({"workload": {"model": "mlp", "layers": 1, "hidden": 3, "dtype": "f32", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100"}, "engine": "analytic", "strategy": {"dp": 4, "global_batch": 4, "zero": 3}})";
  const Outcome outcome = run(load(parse_json(text, "mlp.json"), "mlp.json"));
  const double sample   = 3 * 4;
  for (const auto& device : outcome.program.devices) EXPECT_EQ(device.initial.value(), 3 * 3 * 4 + 2 * sample);
}

// What a framework does with the gradients that a device holds is priced with the optimizer, of which ZeRO gives each
// rank a part: an eighth of what is no expert's here, all of its experts.
TEST(ZeroBesideExperts, PricesHeldGradientsOnce) {
  const auto seconds = [](const std::string& zero, const std::string& bytes) {
    const std::string text = R"({"workload": {"model": "moe", "layers": 2, "hidden": 512, "heads": 8, "vocabulary": 512,
      "sequence": 256, "experts": 8, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
      "platform": {"topology": "dgx_h100", "nodes": 1}, "cost": {"model": "calibrated", "gradient_bytes": ")" +
                             bytes + R"("},
      "strategy": {"dp": 8, "ep": 8, "global_batch": 8, "zero": )" +
                             zero + "}}";
    return run(load(parse_json(text, "experts.json"), "experts.json")).summary.iteration_time.value();
  };
  const double whole = seconds("0", "4kB") - seconds("0", "0B"), parts = seconds("1", "4kB") - seconds("1", "0B");
  EXPECT_NEAR(parts, whole, 5e-3 * whole);  // kernels of small updates do not reach the bandwidth of large ones
}

}  // namespace
}  // namespace foreflow::scenario::zero_test
