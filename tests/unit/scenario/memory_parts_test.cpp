// What the memory of a device holds at its peak adds up to the peak, and is the same where microbatches are left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::memory_parts_test {
namespace {

Scenario scenario_of(const std::string& workload, const std::string& strategy) {
  return load(parse_json(R"({"platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"},
                             "workload": {)" +
                             workload + R"(}, "strategy": {)" + strategy + "}}",
                         "parts"),
              "parts");
}

std::vector<report::MemoryPeak> peaks_of(const Outcome& outcome) {
  return report::memory_peaks(outcome.summary, outcome.program, outcome.timeline);
}

std::vector<std::tuple<std::string, double, int64_t>> contents(const report::MemoryPeak& peak) {
  std::vector<std::tuple<std::string, double, int64_t>> all;
  for (const report::Alive& one : peak.alive) all.emplace_back(one.name, one.size.value(), one.count);
  std::sort(all.begin(), all.end());
  return all;
}

void expect_whole(const Outcome& outcome) {
  for (const report::MemoryPeak& peak : peaks_of(outcome)) {
    for (const int device : peak.devices) EXPECT_EQ(peak.size, nth(outcome.summary.devices, device).peak_memory);
    EXPECT_EQ(std::accumulate(peak.classes.begin(), peak.classes.end(), Bytes(0)), peak.size);
    Bytes named;
    for (const report::Alive& one : peak.alive) named += one.size;
    EXPECT_EQ(named, peak.size);
  }
}

// Schedules at which a simulation of the few microbatches goes on until it has a steady state.
class LeftOut : public testing::TestWithParam<std::string> {};

TEST_P(LeftOut, HaveThePartsOfAllMicrobatches) {
  Scenario scenario  = scenario_of(R"("model": "llama", "layers": 8, "hidden": 256, "heads": 8, "kv_heads": 4,
                                     "sequence": 64, "vocabulary": 1024, "dtype": "bf16")",
                                   GetParam());
  const Outcome some = run(scenario);
  expect_whole(some);
  scenario.simulation.every_round = true;
  const Outcome all               = run(scenario);
  const auto one = peaks_of(some), other = peaks_of(all);
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].devices, other[i].devices);
    EXPECT_EQ(one[i].size, other[i].size);
    EXPECT_EQ(one[i].classes, other[i].classes);
    EXPECT_EQ(contents(one[i]), contents(other[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, LeftOut,
    testing::Values(R"("pp": 2, "microbatches": 32, "global_batch": 32, "schedule": "zb_h1")",
                    R"("pp": 2, "microbatches": 32, "global_batch": 32, "schedule": "zb_h2")",
                    R"("pp": 2, "microbatches": 32, "global_batch": 32, "schedule": "zb_v")",
                    R"("pp": 2, "dp": 2, "microbatches": 32, "global_batch": 64, "schedule": "zb_h1",
                       "overlap_gradients": true)",
                    R"("pp": 2, "microbatches": 32, "global_batch": 32, "schedule": "1f1b", "offload": true)",
                    R"("pp": 4, "microbatches": 64, "global_batch": 64, "schedule": "1f1b")",
                    R"("pp": 4, "microbatches": 64, "global_batch": 64, "schedule": "eager_1f1b")",
                    R"("pp": 4, "microbatches": 64, "global_batch": 64, "schedule": "dualpipe_v")"));

// Of Chimera's two pipes, the one down has one more of an odd number of microbatches.
TEST(LeftOutData, IsThatOfEachPipe) {
  for (const std::string microbatches : {"53", "54", "64"}) {
    Scenario scenario =
        scenario_of(R"("model": "gpt", "layers": 4, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128)",
                    R"("tp": 2, "pp": 2, "schedule": "chimera", "microbatches": )" + microbatches +
                        R"(, "global_batch": )" + microbatches);
    const Outcome some              = run(scenario);
    scenario.simulation.every_round = true;
    const auto one = peaks_of(some), other = peaks_of(run(scenario));
    ASSERT_EQ(one.size(), other.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].size, other[i].size) << microbatches;
      EXPECT_EQ(one[i].classes, other[i].classes) << microbatches;
    }
  }
}

// A weight that is gathered for a backward pass in which its converted copy is still there: nothing reads it.
TEST(MemoryParts, HaveNoResultsThatNothingReads) {
  const Outcome outcome =
      run(scenario_of(R"("model": "gpt", "layers": 2, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128,
                         "dtype": "bf16")",
                      R"("dp": 2, "global_batch": 2, "zero": 3, "shard_unit": "block", "float_gathers": true)"));
  expect_whole(outcome);
}

}  // namespace
}  // namespace foreflow::scenario::memory_parts_test
