#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::allocator_test {
namespace {

Outcome answer(const std::string& memory) {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 2, "hidden": 1024, "heads": 8, "sequence": 512,
      "vocabulary": 1024, "dtype": "f16", "mode": "training", "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": {"dp": 2, "tp": 2, "global_batch": 8, "overlap_gradients": true}, "memory": )" +
                           memory + "}";
  return run(load(parse_json(text, "test"), "test"));
}

report::MemoryPeak fullest(const Outcome& outcome) {
  return report::memory_peaks(outcome.summary, outcome.program, outcome.timeline, report::PeaksOf::fullest).at(0);
}

TEST(Allocator, OfAFrameworkReservesMoreThanIsAskedFor) {
  const Outcome outcome         = answer(R"({"allocator": "caching"})");
  const report::MemoryPeak peak = fullest(outcome);
  ASSERT_TRUE(peak.allocator.has_value());
  EXPECT_GE(peak.allocator->requested, peak.size);
  EXPECT_GT(peak.allocator->reserved, peak.allocator->requested);
  EXPECT_EQ(peak.allocator->overhead(), peak.allocator->reserved - peak.allocator->requested);
  const Json json = report::to_json(outcome.summary, outcome.program, *outcome.platform,
                                    report::memory_peaks(outcome.summary, outcome.program, outcome.timeline));
  EXPECT_EQ(JsonView(json, "result").at("memory_peaks").items().at(0).at("allocator").at("overhead_bytes").as_number(),
            peak.allocator->overhead().value());
}

TEST(Allocator, IsExactUnlessAskedForOtherwise) {
  EXPECT_FALSE(fullest(answer("{}")).allocator.has_value());
  EXPECT_THROW(answer(R"({"allocator": "best"})"), Error);
}

// Results of ops that only the forward pass reads, and what messages bring, are classes of their own.
TEST(Memory, CountsWorkspaceAndCommunicationBuffers) {
  const Outcome outcome = answer("{}");
  Bytes workspace, communication;
  for (const report::ClassPoint& point : report::memory_by_class(outcome.program, outcome.timeline, 0)) {
    workspace     = std::max(workspace, nth(point.classes, stream::MemoryClass::workspace));
    communication = std::max(communication, nth(point.classes, stream::MemoryClass::communication));
  }
  constexpr double kHidden = 2 * 4 * 512 * 1024;  // bytes of a layer's input for the four samples of a replica
  EXPECT_GE(workspace, Bytes(kHidden));
  EXPECT_GE(communication, Bytes(kHidden));
}

}  // namespace
}  // namespace foreflow::scenario::allocator_test
