#include <gtest/gtest.h>

#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"
#include "foreflow/stream/host_copy.h"

namespace foreflow::scenario::offload_test {
namespace {

Outcome answer(const std::string& strategy, const std::string& platform = R"("topology": "dgx_a100", "nodes": 1)",
               const std::string& mode = "training") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 8, "hidden": 2048, "heads": 16, "sequence": 1024,
      "vocabulary": 1024, "dtype": "f16", "mode": ")" +
                           mode + R"(", "optimizer": "adam"},
      "platform": {)" + platform +
                           R"(}, "cost": {"model": "roofline"}, "engine": "simgrid", "strategy": {)" + strategy + "}}";
  return run(load(parse_json(text, "test"), "test"));
}

Bytes bytes_of(const Outcome& outcome, stream::HostCopy which) {
  Bytes total;
  for (const stream::Instance& instance : outcome.program.instances) {
    const auto& communication = nth(outcome.program.communications, instance.communication);
    if (stream::host_copy(communication) == which) total += communication.bytes;
  }
  return total;
}

Bytes over_pcie(const report::Summary& summary) {
  Bytes total;
  for (const report::LinkSummary& link : summary.links) {
    if (link.kind == "pcie") total += link.bytes;
  }
  return total;
}

report::MemoryPeak fullest(const Outcome& outcome) {
  return report::memory_peaks(outcome.summary, outcome.program, outcome.timeline, report::PeaksOf::fullest).at(0);
}

constexpr double kLayers = 8, kBatch = 8, kInput = 2 * 1024 * 2048;  // bytes of a layer's input for one sample: 2 s h

TEST(OffloadStrategy, MovesTheInputOfEveryLayerOverPcieAndBack) {
  const Outcome here  = answer(R"("global_batch": 8, "recompute": "full")");
  const Outcome there = answer(R"("global_batch": 8, "recompute": "full", "offload": true)");
  const Bytes out = bytes_of(there, stream::HostCopy::to_host), back = bytes_of(there, stream::HostCopy::from_host);
  EXPECT_EQ(out, back);
  EXPECT_EQ(over_pcie(there.summary), out + back);
  EXPECT_EQ(over_pcie(here.summary), Bytes(0));
  // The inputs of the layers, and what the end of the model keeps: less than four more of them.
  EXPECT_GE(out, Bytes(kLayers * kBatch * kInput));
  EXPECT_LT(out, Bytes((kLayers + 4) * kBatch * kInput));
  EXPECT_EQ(fullest(here).host, Bytes(0));
  EXPECT_EQ(fullest(there).host, out);
}

TEST(OffloadStrategy, IsHiddenBehindComputingWherePcieIsFastEnough) {
  const double here = answer(R"("global_batch": 8, "recompute": "full")").summary.iteration_time.value();
  const double there =
      answer(R"("global_batch": 8, "recompute": "full", "offload": true)").summary.iteration_time.value();
  EXPECT_GE(there, here);
  EXPECT_LT(there, 1.05 * here);  // but for what the end of the forward pass leaves, which comes back at once
}

TEST(OffloadStrategy, TakesLongerOverSlowerPcie) {
  const std::string strategy = R"("global_batch": 8, "offload": true)";
  const auto seconds         = [&](const std::string& bandwidth) {
    return answer(strategy,
                          R"("topology": "dgx_a100", "nodes": 1, "links": {"pcie": {"bandwidth": ")" + bandwidth + R"("}})")
        .summary.iteration_time.value();
  };
  EXPECT_GT(seconds("15.5GBps"), 1.5 * seconds("31GBps"));
}

TEST(OffloadStrategy, SharesTheUplinkOfASwitch) {
  // Two GPUs of a DGX-1 sit below one PCIe switch; those of two switches do not get in each other's way.
  const auto seconds = [&](const std::string& devices) {
    const std::string text = R"({"workload": {"model": "gpt", "layers": 4, "hidden": 1024, "heads": 8, "sequence": 512,
      "vocabulary": 1024, "dtype": "f16", "mode": "training", "optimizer": "adam"}, "platform": {"topology": "dgx1", "nodes": 1},
      "placement": {"devices": )" +
                             devices + R"(}, "cost": {"model": "roofline"}, "engine": "simgrid",
      "strategy": {"dp": 2, "global_batch": 16, "offload": true}})";
    return run(load(parse_json(text, "test"), "test")).summary.iteration_time.value();
  };
  EXPECT_GT(seconds("[0, 1]"), 1.5 * seconds("[0, 2]"));
}

TEST(OffloadStrategy, LowersTheMemoryOfEveryStage) {
  const std::string strategy = R"("pp": 4, "microbatches": 8, "global_batch": 32)";
  const Outcome here = answer(strategy), there = answer(strategy + R"(, "offload": true)");
  for (size_t d = 0; d < 4; ++d)
    EXPECT_LT(there.summary.devices[d].peak_memory, here.summary.devices[d].peak_memory) << d;
}

void expect_error(const std::string& strategy, const std::string& platform, const std::string& mode,
                  const std::string& message) {
  try {
    answer(strategy, platform, mode);
    FAIL() << "no error for " << strategy;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(OffloadStrategy, IsRefusedInOneSentence) {
  const std::string dgx = R"("topology": "dgx_a100", "nodes": 1)", offload = R"("global_batch": 8, "offload": true)";
  expect_error(offload, dgx, "inference", "$.strategy.offload: true needs a backward pass");
  expect_error(offload, R"("topology": "localhost", "nodes": 1)", "training", "has no link of the kind pcie from");
  expect_error(offload + R"(, "pp": 2, "microbatches": 4, "schedule": "chimera")", dgx, "training",
               "$.strategy.offload");
}

}  // namespace
}  // namespace foreflow::scenario::offload_test
