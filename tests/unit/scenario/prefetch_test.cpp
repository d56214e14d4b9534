// With ZeRO 3 the weights of the next layer are gathered while the present one is at work, where communication has a
// stream of its own (FSDP's prefetch); without one, everything waits for them.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::prefetch_test {
namespace {

constexpr size_t kLayers = 16;

// Sixteen layers, each a unit of its own, on eight devices of one server.
Outcome simulated(bool overlap) {
  const std::string text =
      R"({"workload": {"model": "mlp", "layers": 16, "hidden": 2048, "dtype": "f16", "optimizer": "adam"},
          "platform": {"topology": "dgx_a100"}, "engine": "simgrid",
          "strategy": {"dp": 8, "zero": 3, "global_batch": 16384, "bucket_size": "8MB", "overlap_gradients": )" +
      std::string(overlap ? "true" : "false") + "}}";
  return run(load(parse_json(text, "prefetch.json"), "prefetch.json"));
}

using Records = std::vector<stream::Record>;

// What the first device did, in the order of time: all-gathers, or computing.
Records records(const Outcome& outcome, bool gathers) {
  Records found;
  const stream::Program& program = outcome.program;
  for (size_t s = 0; s < program.streams.size(); ++s) {
    if (program.streams[s].device != 0) continue;
    for (size_t i = 0; i < program.streams[s].items.size(); ++i) {
      const stream::Item& item = program.streams[s].items[i];
      const auto event         = static_cast<size_t>(item.event);
      const bool computes      = item.instance < 0;
      if (gathers ? !computes && program.communications[event].name == "MPIAllgather" : computes)
        found.push_back(outcome.timeline.records[s][i]);
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  return found;
}

double length(const Records& records) {
  double sum = 0;
  for (const stream::Record& record : records) sum += (record.end - record.start).value();
  return sum;
}

// How long both were going on; the records of each follow one another.
double together(const Records& first, const Records& second) {
  double sum = 0;
  for (const stream::Record& a : first) {
    for (const stream::Record& b : second)
      sum += std::max(0.0, (std::min(a.end, b.end) - std::max(a.start, b.start)).value());
  }
  return sum;
}

TEST(Prefetch, HidesGathersBehindComputing) {
  const Outcome outcome = simulated(true);
  const Records gathers = records(outcome, true), computes = records(outcome, false);
  ASSERT_EQ(gathers.size(), 2 * kLayers);  // for each pass
  EXPECT_GT(together(gathers, computes), 0.8 * length(gathers));
}

TEST(Prefetch, IsOfTheNextLayerDuringThePresentOne) {
  const Outcome outcome = simulated(true);
  const Records gathers = records(outcome, true), layers = records(outcome, false);  // the forward pass is first
  ASSERT_GE(layers.size(), kLayers);
  for (size_t layer = 0; layer + 1 < kLayers; ++layer) {
    EXPECT_GE(gathers[layer + 1].start, gathers[layer].end) << layer;
    EXPECT_LE(gathers[layer + 1].start, layers[layer].start) << layer;
    EXPECT_GT(gathers[layer + 1].end, layers[layer].start) << layer;
    EXPECT_LE(gathers[layer + 1].end, layers[layer + 1].start) << layer;
  }
}

TEST(Prefetch, NeedsAStreamOfItsOwn) {
  const Outcome outcome = simulated(false);
  const Records gathers = records(outcome, true);
  ASSERT_EQ(gathers.size(), 2 * kLayers);
  EXPECT_EQ(together(gathers, records(outcome, false)), 0);
}

}  // namespace
}  // namespace foreflow::scenario::prefetch_test
