// What the memory of a device holds at its peak adds up to the peak.
#include <gtest/gtest.h>

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

void expect_whole(const Outcome& outcome) {
  for (const report::MemoryPeak& peak : peaks_of(outcome)) {
    for (const int device : peak.devices) EXPECT_EQ(peak.size, nth(outcome.summary.devices, device).peak_memory);
    EXPECT_EQ(std::accumulate(peak.classes.begin(), peak.classes.end(), Bytes(0)), peak.size);
    Bytes named;
    for (const report::Alive& one : peak.alive) named += one.size;
    EXPECT_EQ(named, peak.size);
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
