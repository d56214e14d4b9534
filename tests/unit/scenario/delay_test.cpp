// What delayed weight gradients are worth where messages between stages are slow: a shorter iteration, for more memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::delay_test {
namespace {

const std::string kGpt = R"({"workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 16, "sequence": 512,
                                          "vocabulary": 2048, "dtype": "f16"},
                             "platform": {"topology": "a10_pcie", "nodes": 1, "links": {"pcie": {"bandwidth": "2GBps"}}},
                             "engine": "analytic", "strategy": {"global_batch": 64, "pp": 4, "microbatches": 16, "schedule": ")";

report::Summary predicted(const std::string& schedule, const std::string& more = "") {
  const std::string text = kGpt + schedule + "\"" + more + "}}";
  return run(load(parse_json(text, "delay.json"), "delay.json")).summary;
}

Bytes fullest(const report::Summary& summary) {
  Bytes most(0);
  for (const auto& device : summary.devices) most = std::max(most, device.peak_memory);
  return most;
}

TEST(DelayedWeightGradients, ShortenAnIterationUnderEverySchedule) {
  for (const char* schedule : {"gpipe", "1f1b", "eager_1f1b", "interleaved_1f1b", "chimera"}) {
    const report::Summary whole   = predicted(schedule),
                          delayed = predicted(schedule, R"(, "delay_weight_gradients": true)");
    EXPECT_LT(delayed.iteration_time, 0.98 * whole.iteration_time) << schedule;
    EXPECT_GT(fullest(delayed), fullest(whole)) << schedule;
  }
}

// Eager 1F1B hides what the forward passes hand on, weight gradients what the backward passes do.
TEST(DelayedWeightGradients, HideMoreUnderEager1f1b) {
  const auto time = [](const char* schedule) {
    return predicted(schedule, R"(, "delay_weight_gradients": true)").iteration_time;
  };
  EXPECT_LT(time("eager_1f1b"), time("1f1b"));
}

}  // namespace
}  // namespace foreflow::scenario::delay_test
