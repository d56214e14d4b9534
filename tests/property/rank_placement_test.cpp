// Where ranks sit changes when things happen, and nothing else: the same work, memory and messages on every placement.
#include <gtest/gtest.h>

#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::rank_placement_test {
namespace {

struct Case {
  std::string name, workload, strategy;
};
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

const PlatformRef& machine() {
  static const PlatformRef platform =
      std::make_shared<const platform::Platform>(platform::make(platform::topologies().get("p3_8xlarge", "test"), 4));
  return platform;
}

Outcome placed(const Case& one, const std::string& placement) {
  const std::string text =
      R"({"workload": )" + one.workload + R"(, "strategy": )" + one.strategy +
      R"(, "platform": {"topology": "p3_8xlarge", "nodes": 4}, "cost": {"model": "roofline"}, "placement": )" +
      placement + "}";
  Scenario scenario        = load(parse_json(text, "s.json"), "s.json");
  scenario.simulation.fold = false;
  return run(scenario, machine());
}

std::string text_without_places(stream::Program program) {
  for (stream::DeviceUse& device : program.devices) device.place = 0;
  return stream::print(program);
}

class RankPlacement : public testing::TestWithParam<Case> {};

TEST_P(RankPlacement, KeepsTheProgramAndItsMemory) {
  const Outcome packed     = placed(GetParam(), R"("packed")");
  const std::string wanted = text_without_places(packed.program);
  for (const char* placement :
       {R"("spread")", R"({"policy": "random", "seed": 1})", R"({"policy": "random", "seed": 2, "order": "dp-pp-tp"})",
        R"({"order": "pp-dp-tp"})", R"({"devices": ["8-15", "0-7"]})"}) {
    const Outcome other = placed(GetParam(), placement);
    EXPECT_EQ(text_without_places(other.program), wanted) << placement;
    ASSERT_EQ(other.summary.devices.size(), packed.summary.devices.size());
    for (size_t d = 0; d < other.summary.devices.size(); ++d) {
      EXPECT_EQ(other.summary.devices[d].peak_memory, packed.summary.devices[d].peak_memory) << placement;
      EXPECT_NEAR(other.summary.devices[d].compute.value(), packed.summary.devices[d].compute.value(), 1e-12)
          << placement;
    }
  }
}

// All nodes are alike, so which of them come first does not matter.
TEST_P(RankPlacement, OnOtherNodesOfTheSameKindTakesAsLong) {
  const double packed = placed(GetParam(), R"("packed")").summary.iteration_time.value();
  const double moved  = placed(GetParam(), R"({"devices": ["8-15", "0-7"]})").summary.iteration_time.value();
  EXPECT_NEAR(moved, packed, 1e-9 * packed);
}

INSTANTIATE_TEST_SUITE_P(
    Every, RankPlacement,
    testing::Values(Case{"mlp_dp4_tp4", R"({"model": "mlp", "layers": 4, "hidden": 64})",
                         R"({"dp": 4, "tp": 4, "global_batch": 16})"},
                    Case{"mlp_pp4", R"({"model": "mlp", "layers": 4, "hidden": 64})",
                         R"({"pp": 4, "microbatches": 4, "global_batch": 16})"},
                    Case{"gpt_dp2_tp2_pp2",
                         R"({"model": "gpt", "layers": 2, "hidden": 32, "heads": 4, "sequence": 16, "vocabulary": 64})",
                         R"({"dp": 2, "tp": 2, "pp": 2, "microbatches": 2, "global_batch": 8})"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::scenario::rank_placement_test
