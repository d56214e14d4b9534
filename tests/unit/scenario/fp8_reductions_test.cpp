// "fp8_reduces": the devices of a stage, in all replicas, agree on the largest values of each pass.
#include "foreflow/transform/fp8_reductions.h"

#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::fp8_reductions_test {
namespace {

Scenario loaded(const std::string& strategy, bool reduces, const std::string& engine = "analytic") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 8, "hidden": 2048, "heads": 16,
    "vocabulary": 5120, "sequence": 512, "mode": "training", "optimizer": "adam", "dtype": "fp8", "fp8_reduces": )" +
                           std::string(reduces ? "true" : "false") +
                           R"(}, "platform": {"topology": "dgx_h100", "nodes": 2}, "engine": ")" + engine +
                           R"(", "strategy": )" + strategy + "}";
  return load(parse_json(text, "fp8.json"), "fp8.json");
}

struct Case {
  const char* name;
  const char* strategy;
  int ranks, groups, passes;  // of a group: the devices of a stage in all replicas; passes of a device, both ways
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Fp8Reductions : public testing::TestWithParam<Case> {};

TEST_P(Fp8Reductions, EndEveryPassOfAStage) {
  const Case& c = GetParam();
  for (const char* engine : {"analytic", "simgrid"}) {
    const auto summary = run(loaded(c.strategy, true, engine)).summary,
               without = run(loaded(c.strategy, false, engine)).summary;
    int64_t count      = 0;
    for (const report::CollectiveSummary& one : summary.collectives) {
      if (one.name != "MPIAllreduceMax") continue;
      EXPECT_EQ(one.ranks, c.ranks);
      count += one.count;
    }
    EXPECT_EQ(count, int64_t{c.groups} * c.passes) << engine;
    EXPECT_GT(summary.iteration_time, without.iteration_time);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, Fp8Reductions,
    testing::Values(
        Case{"replicas", R"({"dp": 8, "global_batch": 8})", 8, 1, 2},
        Case{"shards", R"({"tp": 4, "dp": 2, "global_batch": 8, "microbatches": 4})", 8, 1, 8},
        Case{"one_replica", R"({"tp": 8, "global_batch": 8, "microbatches": 2, "sequence_parallel": true})", 8, 1, 4},
        Case{"stages", R"({"tp": 2, "pp": 4, "dp": 2, "global_batch": 16, "microbatches": 8, "zero": 1})", 4, 4, 16},
        Case{"recomputed", R"({"tp": 2, "pp": 2, "dp": 2, "global_batch": 16, "microbatches": 8, "recompute": "full"})",
             4, 2, 16},
        Case{"chunks", R"({"tp": 4, "pp": 2, "dp": 2, "global_batch": 16, "microbatches": 8, "schedule":
                      "interleaved_1f1b", "virtual_stages": 2, "overlap_tensor": 4, "sequence_parallel": true})",
             8, 2, 32}),
    [](const auto& info) { return info.param.name; });

TEST(Fp8ReductionsOf, OneDeviceAreNone) {
  const auto summary = run(loaded(R"({"global_batch": 8})", true)).summary;
  for (const report::CollectiveSummary& one : summary.collectives) EXPECT_NE(one.name, "MPIAllreduceMax");
}

}  // namespace
}  // namespace foreflow::scenario::fp8_reductions_test
