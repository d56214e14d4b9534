// Stages of whole layers of an encoder-decoder, whose layers are of two kinds: as many for each stage.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::encoder_decoder_layers_test {
namespace {

std::vector<report::DeviceSummary> devices(const std::string& rest) {
  const std::string text = R"({"workload": {"model": "t5", "layers": 8, "hidden": 512, "heads": 8, "head_size": 64,
          "feed_forward": 2048, "sequence": 512, "target_sequence": 128, "vocabulary": 128, "dtype": "bf16",
          "mode": "training", "optimizer": "sgd"},
      "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "analytic", "cost": {"model": "roofline"},
      "strategy": {"pp": 4, "microbatches": 4, "global_batch": 16, "stage_partition": "layers", )" +
                           rest + "}}";
  return scenario::run(scenario::load(parse_json(text, "layers"), "layers")).summary.devices;
}

TEST(LayersOfEncoderAndDecoder, DivideIntoEqualStages) {
  for (const std::string rest : {R"("tp": 1)", R"("tp": 2)", R"("tp": 2, "sequence_parallel": true)",
                                 R"("tp": 4, "sequence_parallel": true)", R"("tp": 2, "recompute": "selective")"}) {
    const auto all = devices(rest);
    ASSERT_EQ(all.size() % 4, 0) << rest;
    const size_t tp   = all.size() / 4;
    const auto second = [&](size_t stage) { return all[stage * tp].compute.value(); };
    // The embeddings and the head over a small vocabulary are little beside four layers.
    EXPECT_NEAR(second(0) / second(1), 1, 0.06) << rest;
    EXPECT_NEAR(second(2) / second(3), 1, 0.06) << rest;
  }
}

// A block that is recomputed stays whole, and may reach from one layer into the next.
TEST(LayersOfEncoderAndDecoder, AreFoundWhereBlocksAreRecomputed) {
  EXPECT_EQ(devices(R"("tp": 1, "recompute": "full")").size(), 4);
  EXPECT_EQ(devices(R"("tp": 2, "recompute": "full", "sequence_parallel": true)").size(), 8);
}

}  // namespace
}  // namespace foreflow::encoder_decoder_layers_test
