// FSDP by blocks: what is gathered and scattered, how often, and when.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::fsdp_test {
namespace {

// Bytes of a weight of 16 bits.
constexpr double kLayers = 6, kHidden = 256, kVocabulary = 1000, kSequence = 64, kWidth = 2;
// Of a GPT's layer: 12 h^2 + 13 h parameters; of the embeddings (V + s) h, of the last norm 2 h.
constexpr double kLayer     = (12 * kHidden * kHidden + 13 * kHidden) * kWidth;
constexpr double kEmbedding = (kVocabulary + kSequence) * kHidden * kWidth, kNorm = 2 * kHidden * kWidth;

Outcome simulated(const std::string& strategy, const std::string& rest = "", const std::string& engine = "analytic") {
  const std::string text =
      R"({"workload": {"model": "gpt", "layers": 6, "hidden": 256, "heads": 4, "sequence": 64, "vocabulary": 1000,
                       "dtype": "bf16", "optimizer": "adam"},
          "platform": {"topology": "dgx_a100"}, "engine": ")" +
      engine + R"(", "cost": {"model": "roofline"},
          "strategy": {"dp": 8, "global_batch": 64, "zero": 3, "overlap_gradients": true, "shard_unit": "block")" +
      strategy + "}" + rest + "}";
  return run(load(parse_json(text, "fsdp.json"), "fsdp.json"));
}

// Bytes of the collectives of a kind, with how often they ran.
std::map<double, int64_t> sizes(const Outcome& outcome, const std::string& kind) {
  std::map<double, int64_t> all;
  for (const auto& row : outcome.summary.collectives) {
    if (row.kind == kind) all[row.bytes.value()] += row.count;
  }
  return all;
}

double total(const std::map<double, int64_t>& sizes) {
  double sum = 0;
  for (const auto& [bytes, count] : sizes) sum += bytes * static_cast<double>(count);
  return sum;
}

// The embedding is the output layer, too, so it is used again behind the layers.
TEST(Fsdp, GathersALayerForEachPassAndScattersItsGradientsOnce) {
  const Outcome outcome = simulated("");
  const auto gathers = sizes(outcome, "all_gather"), scatters = sizes(outcome, "reduce_scatter");
  EXPECT_EQ(gathers.at(kLayer), 2 * kLayers);
  EXPECT_EQ(scatters.at(kLayer), kLayers);
  EXPECT_EQ(total(scatters), kLayers * kLayer + kEmbedding + kNorm);
}

TEST(Fsdp, GathersOnceWhereWeightsStayGathered) {
  const Outcome outcome = simulated(R"(, "reshard_after_forward": false)");
  EXPECT_EQ(sizes(outcome, "all_gather").at(kLayer), kLayers);
  EXPECT_EQ(total(sizes(outcome, "all_gather")), kLayers * kLayer + kEmbedding + kNorm);
  const double more = (outcome.summary.devices[0].peak_memory - simulated("").summary.devices[0].peak_memory).value();
  // All layers are there at the end of the forward pass, not two of them.
  EXPECT_GT(more, (kLayers - 3) * kLayer);
}

// In Float32 they are twice as long, and a program of the same numbers: gradients travel as before.
TEST(Fsdp, GathersTwiceTheBytesInFloat32) {
  const Outcome wide = simulated(R"(, "float_gathers": true)"), narrow = simulated("");
  EXPECT_EQ(sizes(wide, "all_gather").at(2 * kLayer), 2 * kLayers);
  EXPECT_EQ(total(sizes(wide, "all_gather")), 2 * total(sizes(narrow, "all_gather")));
  EXPECT_EQ(sizes(wide, "reduce_scatter"), sizes(narrow, "reduce_scatter"));
}

// Autograd keeps what the forward pass has converted, so only a layer that is computed again is converted again: 6
// bytes and a kernel for each of its 12 tensors.
TEST(Fsdp, ConvertsWeightsAgainWhereLayersAreComputedAgain) {
  constexpr double kMemory = 739.0 / 900 * 2.039e12, kLaunch = 10e-6, kTensors = 12;
  for (const std::string microbatches : {"1", "2"}) {
    const auto converting = [&](const std::string& recompute) {
      const std::string strategy = R"(, "recompute": ")" + recompute + R"(", "microbatches": )" + microbatches;
      const auto compute         = [](const Outcome& outcome) { return outcome.summary.devices[0].compute.value(); };
      return compute(simulated(strategy + R"(, "float_gathers": true)")) - compute(simulated(strategy));
    };
    const double again = kLayers * (3 * kLayer / kMemory + kTensors * kLaunch);
    EXPECT_NEAR(converting("full") - converting("none"), std::stoi(microbatches) * again, 1e-9);
  }
}

TEST(Fsdp, KeepsConvertedWeightsForTheBackwardPass) {
  const auto more = [](const std::string& strategy) {
    return (simulated(strategy + R"(, "float_gathers": true)").summary.devices[0].peak_memory -
            simulated(strategy).summary.devices[0].peak_memory)
        .value();
  };
  // Where it begins, all layers are there as they were converted, and two more as they were gathered.
  const double kept = kLayers * kLayer;
  EXPECT_GT(more(""), kept);
  EXPECT_LT(more(""), kept + 6 * kLayer);
  EXPECT_LT(more(R"(, "recompute": "full")"), 6 * kLayer);
}

Outcome with_units(const std::string& bucket, const std::string& microbatches, const std::string& recompute) {
  const std::string text =
      R"({"workload": {"model": "llama", "layers": 4, "hidden": 512, "heads": 4, "kv_heads": 4, "feed_forward": 1024,
                       "sequence": 8, "vocabulary": 16, "dtype": "bf16", "optimizer": "sgd"},
          "platform": {"topology": "dgx_a100"}, "engine": "analytic", "cost": {"model": "roofline"},
          "strategy": {"dp": 8, "global_batch": 16, "zero": 3, "overlap_gradients": true, "shard_unit": "size",
                       "recompute": ")" +
      recompute + R"(", "bucket_size": ")" + bucket + R"(", "microbatches": )" + microbatches + "}}";
  return run(load(parse_json(text, "fsdp.json"), "fsdp.json"));
}

// Units of a size are there as long as the layer that they are of is computed again and differentiated.
TEST(Fsdp, GathersUnitsOfASizeOnceForRecomputationAndGradients) {
  constexpr double kWide = 512, kOfLayer = (4 * kWide * kWide + 3 * kWide * 2 * kWide + 2 * kWide) * kWidth;
  for (const std::string microbatches : {"1", "2"}) {
    for (const std::string bucket : {"100kB", "400kB"}) {
      const auto with       = [&](const char* recompute) { return with_units(bucket, microbatches, recompute); };
      const Outcome outcome = with("full");
      EXPECT_EQ(total(sizes(outcome, "all_gather")), total(sizes(with("none"), "all_gather"))) << bucket;
      // All weights of a layer are there when its gradients begin; else there are samples of a few kB.
      EXPECT_GT((outcome.summary.devices[0].peak_memory - outcome.program.devices[0].initial).value(), kOfLayer);
    }
  }
}

// Without prefetching every gather is waited for; with it those of the layers hide.
TEST(Fsdp, WaitsForEachGatherWithoutPrefetching) {
  const Outcome with = simulated(""), without = simulated(R"(, "prefetch": false)");
  double gathers = 0;
  for (const auto& row : without.summary.collectives) {
    if (row.kind == "all_gather") gathers += row.time.value();
  }
  const double lost = (without.summary.iteration_time - with.summary.iteration_time).value();
  EXPECT_GT(lost, 0.5 * gathers);
  EXPECT_LE(lost, gathers);
}

TEST(Fsdp, RefusesToKeepWeightsOverMicrobatches) {
  EXPECT_THROW(simulated(R"(, "microbatches": 2, "reshard_after_forward": false)"), Error);
}

}  // namespace
}  // namespace foreflow::scenario::fsdp_test
