// Stages that are balanced are not slower than uniform ones, whatever the schedule puts on a device.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/scenario/run.h"

namespace foreflow::stage_partitions_test {
namespace {

struct Model {
  const char* name;
  const char* sizes;
};

// The heads over the vocabulary are worth several layers; the stages of the encoder-decoder are of two kinds.
constexpr Model kModels[] = {
    {"gpt", R"("model": "gpt", "layers": 16, "hidden": 1024, "heads": 16, "sequence": 1024, "vocabulary": 51200)"},
    {"llama",
     R"("model": "llama", "layers": 16, "hidden": 1024, "heads": 8, "feed_forward": 4096, "sequence": 1024,
        "vocabulary": 128256)"},
    {"t5", R"("model": "t5-large")"},
};

double seconds(const Model& model, int pp, const std::string& schedule, const std::string& partition) {
  const std::string text = std::string(R"({"workload": {)") + model.sizes +
                           R"(, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
      "platform": {"topology": "dgx_h100", "nodes": 1}, "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": {"attention": "flash", "overlap_sends": true, "pp": )" +
                           std::to_string(pp) + R"(, "microbatches": )" + std::to_string(2 * pp) +
                           R"(, "global_batch": )" + std::to_string(4 * pp) + R"(, "schedule": ")" + schedule +
                           R"(", "stage_partition": ")" + partition + "\"}}";
  return scenario::run(scenario::load(parse_json(text, "test"), "test")).summary.iteration_time.value();
}

class StagePartitions : public testing::TestWithParam<Model> {};

TEST_P(StagePartitions, AreNoSlowerBalancedThanUniform) {
  for (const int pp : {2, 4}) {
    for (const std::string schedule : {"interleaved_1f1b", "looped_bfs", "zb_v", "dualpipe_v", "chimera", "dualpipe"}) {
      EXPECT_LE(seconds(GetParam(), pp, schedule, "balanced"), 1.01 * seconds(GetParam(), pp, schedule, "uniform"))
          << schedule << " on " << pp;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StagePartitions, testing::ValuesIn(kModels),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace foreflow::stage_partitions_test
