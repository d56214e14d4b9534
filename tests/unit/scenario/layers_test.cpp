// Layers are found whatever is recomputed: stages in the middle of a pipeline have as many each.
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::layers_test {
namespace {

report::Summary simulated(const std::string& model, const std::string& strategy) {
  const std::string text = R"({"workload": {)" + model +
                           R"("layers": 8, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128,
      "dtype": "bf16"}, "platform": {"topology": "dgx_a100"}, "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": {"pp": 4, "microbatches": 4, "global_batch": 4, "stage_partition": "layers", )" +
                           strategy + "}}";
  return run(load(parse_json(text, "layers.json"), "layers.json")).summary;
}

TEST(StagesOfLayers, AreEqualWhateverIsRecomputed) {
  for (const char* model : {R"("model": "gpt", )", R"("model": "llama", "feed_forward": 128, )"}) {
    for (const char* attention : {"flash", "unfused"}) {
      for (const char* recompute : {"none", "selective", "full", "block(2)"}) {
        const std::string strategy =
            std::string(R"("attention": ")") + attention + R"(", "recompute": ")" + recompute + "\"";
        SCOPED_TRACE(model + strategy);
        const report::Summary summary = simulated(model, strategy);
        ASSERT_EQ(summary.devices.size(), 4U);
        const double second = summary.devices[1].compute.value(), third = summary.devices[2].compute.value();
        EXPECT_NEAR(second, third, 1e-9 * second);
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::scenario::layers_test
