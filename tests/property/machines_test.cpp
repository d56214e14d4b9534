// A 70B model trains on 64 devices of every topology: at real size, with messages inside of nodes and between them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "foreflow/platform/topologies.h"
#include "foreflow/sweep/sweep.h"

namespace foreflow::sweep::machines_test {
namespace {

constexpr int kDevices = 64;

Json question(const std::string& topology) {
  const int per_node = platform::topologies().get(topology, "test").gpus.usual;
  const int nodes    = (kDevices + per_node - 1) / per_node;
  return parse_json(fmt::format(R"({{
      "workload": {{"model": "llama3-70b", "sequence": 4096, "dtype": "bf16"}},
      "platform": {{"topology": "{}", "nodes": {}}},
      "strategy": {{"dp": 2, "tp": 4, "pp": 8, "global_batch": 64, "microbatches": 32, "recompute": "full", "zero": 1,
                    "sequence_parallel": true}}
    }})",
                                topology, nodes),
                    "machine.json");
}

class Machine : public testing::TestWithParam<std::string> {};

TEST_P(Machine, TrainsALargeModel) {
  const Result result = sweep(question(GetParam()), "machine.json", {});
  ASSERT_EQ(result.points.size(), 1U);
  const Point& point = result.points.front();
  ASSERT_EQ(point.status, Status::done) << point.why;
  const double mfu = *point.answer.find("mfu")->if_double();
  EXPECT_GT(mfu, 0.0);
  EXPECT_LT(mfu, 1.0);
  const double time = *point.answer.find("iteration_time_s")->if_double();
  const double rate = *point.answer.find("throughput_samples_per_s")->if_double();
  EXPECT_NEAR(rate * time, 64, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Every, Machine, testing::ValuesIn(platform::topologies().names()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace foreflow::sweep::machines_test
