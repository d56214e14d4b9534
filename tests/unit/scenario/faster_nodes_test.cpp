// Replicas on devices of several kinds.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::faster_nodes_test {
namespace {

Seconds time_with(const std::string& parts) {
  const Json json = parse_json(R"({
    "workload": {"model": "llama", "layers": 2, "hidden": 512, "heads": 8, "feed_forward": 1024, "vocabulary": 1024,
                 "sequence": 2048, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
    "platform": {"parts": [)" + parts +
                                   R"(]},
    "strategy": {"dp": 16, "global_batch": 16, "zero": 1, "overlap_gradients": true},
    "engine": "analytic", "cost": {"model": "roofline"}})",
                               "faster nodes");
  return run(load(json, "faster_nodes.json")).summary.iteration_time;
}

// Tables of positions are on no device, and counted for the first device once for each replica.
TEST(FasterNodes, MakeNoRunSlower) {
  const Seconds alike = time_with(R"({"topology": "dgx_h100", "nodes": 2})");
  const Seconds mixed = time_with(R"({"topology": "dgx_h100", "nodes": 1}, {"topology": "dgx_h200", "nodes": 1})");
  EXPECT_LE(mixed, 1.001 * alike);
}

}  // namespace
}  // namespace foreflow::scenario::faster_nodes_test
