// Which device each rank gets.
#include <gtest/gtest.h>

#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::places_test {
namespace {

// Four nodes with four devices each: node0-gpu0 is 0, node3-gpu3 is 15.
const platform::Platform& machine() {
  static const platform::Platform platform = platform::make(platform::topologies().get("p3_8xlarge", "test"), 4);
  return platform;
}

Scenario placed(const std::string& strategy, const std::string& placement) {
  const std::string text = R"({"workload": {"model": "mlp", "layers": 8, "hidden": 64}, "strategy": )" + strategy +
                           R"(, "platform": {"topology": "p3_8xlarge", "nodes": 4}, "placement": )" + placement + "}";
  return load(parse_json(text, "s.json"), "s.json");
}

std::vector<int> ranks(const std::string& strategy, const std::string& placement) {
  const Scenario scenario = placed(strategy, placement);
  std::vector<int> all    = places(scenario, machine());
  all.resize(static_cast<size_t>(scenario.strategy.devices()));
  return all;
}

const char* const kEight = R"({"tp": 2, "pp": 2, "dp": 2, "microbatches": 2, "global_batch": 8})";

TEST(Places, ArePackedWithTensorParallelRanksTogetherByDefault) {
  EXPECT_EQ(ranks(kEight, R"("packed")"), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(ranks(kEight, "{}"), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Places, AreSpreadRoundRobinOverTheNodes) {
  EXPECT_EQ(ranks(kEight, R"("spread")"), (std::vector<int>{0, 4, 8, 12, 1, 5, 9, 13}));
}

// Ranks count tensor parallel first, then the stage, then the replica: rank 1 is (tp 1, pp 0, dp 0).
TEST(Places, FollowTheOrderOfDimensionsInnermostFirst) {
  EXPECT_EQ(ranks(kEight, R"({"order": "dp-pp-tp"})"), (std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(ranks(kEight, R"({"order": "tp-dp-pp"})"), (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(ranks(kEight, R"({"order": "pp-tp-dp"})"), (std::vector<int>{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(Places, OfUnequalDegreesFollowTheOrderToo) {
  const char* const strategy = R"({"tp": 4, "dp": 2, "global_batch": 8})";
  EXPECT_EQ(ranks(strategy, R"({"order": "dp-tp-pp"})"), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Places, MayBeNamedNumberedOrARange) {
  EXPECT_EQ(ranks(R"({"dp": 5, "global_batch": 5})", R"({"devices": ["node2-gpu1", 3, "12-14"]})"),
            (std::vector<int>{9, 3, 12, 13, 14}));
}

TEST(Places, OfAPolicyMayBeLimitedToSomeDevices) {
  EXPECT_EQ(ranks(R"({"dp": 4, "global_batch": 4})", R"({"policy": "spread", "devices": ["0-1", "8-15"]})"),
            (std::vector<int>{0, 8, 12, 1}));
}

TEST(Places, OfAJobAreAmongThoseThatOthersLeave) {
  Scenario scenario    = placed(R"({"dp": 4, "global_batch": 4})", R"("spread")");
  scenario.held        = {{0, "a"}, {1, "a"}, {4, "a"}};
  std::vector<int> all = places(scenario, machine());
  all.resize(4);
  EXPECT_EQ(all, (std::vector<int>{2, 5, 8, 12}));
}

TEST(Places, AreWhereTheProgramRuns) {
  Scenario scenario        = placed(R"({"dp": 2, "global_batch": 4})", R"({"devices": [7, 2]})");
  scenario.engine          = &simulate::engines().get("analytic", "test");
  scenario.simulation.fold = false;
  const Outcome outcome    = run(scenario);
  ASSERT_EQ(outcome.summary.devices.size(), 2U);
  EXPECT_EQ(outcome.summary.devices[0].place, "node1-gpu3");
  EXPECT_EQ(outcome.summary.devices[1].place, "node0-gpu2");
  EXPECT_EQ(outcome.summary.devices[1].node, "node0");
}

struct Mistake {
  std::string name, placement, message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.placement; }

class BadPlacements : public testing::TestWithParam<Mistake> {};

TEST_P(BadPlacements, AreRefusedInOneLine) {
  try {
    Scenario scenario = placed(R"({"dp": 8, "global_batch": 8})", GetParam().placement);
    scenario.held     = {{15, "other"}};
    places(scenario, machine());
    FAIL() << "nothing was wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "s.json: $." + GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, BadPlacements,
    testing::Values(
        Mistake{"unknown_policy", R"("spred")",
                R"(placement: unknown placement "spred"; the nearest is "spread" (see: foreflow list placements))"},
        Mistake{"unknown_key", R"({"polcy": "spread"})",
                R"(placement.polcy: unknown key "polcy"; the nearest is "policy")"},
        Mistake{"unknown_device", R"({"devices": ["node0-gpu0", "node0-gpu9"]})",
                R"(placement.devices[1]: p3_8xlarge_4 has no device "node0-gpu9"; the nearest is "node0-gpu0")"},
        Mistake{"number_too_large", R"({"devices": [16]})",
                "placement.devices[0]: there is no device 16; the 16 of p3_8xlarge_4 are 0 to 15"},
        Mistake{"range_too_large", R"({"devices": ["8-16"]})",
                "placement.devices[0]: there is no device 16; the 16 of p3_8xlarge_4 are 0 to 15"},
        Mistake{"empty_range", R"({"devices": ["5-3"]})",
                R"(placement.devices[0]: the range "5-3" is empty; write the smaller number first)"},
        Mistake{"twice", R"({"devices": ["0-3", "node0-gpu2"]})",
                R"(placement.devices[1]: "node0-gpu2" is used twice; list each device once)"},
        Mistake{"held", R"({"devices": ["8-15"]})",
                R"(placement.devices[0]: "node3-gpu3" is used by job "other" already; list another device)"},
        Mistake{"too_few", R"({"devices": ["0-6"]})",
                "strategy: dp x tp x pp = 8 devices are more than the 7 of its placement; add devices or lower dp, tp "
                "or pp"},
        Mistake{"no_device", R"({"devices": []})",
                "placement.devices: lists no device; name some, or leave it out for all"},
        Mistake{"number", "5",
                "placement: is neither the name of a policy nor an object; write \"packed\", or {\"policy\": "
                "\"packed\", ...}"},
        Mistake{"no_name", R"({"devices": [true]})", "placement.devices[0]: expected a string, found true"},
        Mistake{"explicit_without_devices", R"("explicit")",
                R"(placement: an explicit placement needs "devices", such as ["node0-gpu0", 3, "8-15"])"},
        Mistake{"order_of_two", R"({"order": "tp-pp"})",
                R"(placement.order: "tp-pp" is no order of tp, pp and dp; write one like "tp-pp-dp", innermost first)"},
        Mistake{
            "order_with_one_twice", R"({"order": "tp-pp-tp"})",
            R"(placement.order: "tp-pp-tp" is no order of tp, pp and dp; write one like "tp-pp-dp", innermost first)"},
        Mistake{
            "order_with_a_fourth", R"({"order": "tp-pp-dp-dp"})",
            R"(placement.order: "tp-pp-dp-dp" is no order of tp, pp and dp; write one like "tp-pp-dp", innermost first)"},
        Mistake{"seed_of_packed", R"({"seed": 1})", "placement.seed: is for the policy random only"},
        Mistake{"negative_seed", R"({"policy": "random", "seed": -1})",
                "placement.seed: -1 is too small; use 0 or more"},
        Mistake{"axis", R"(["packed", "spread"])",
                R"(placement: is an axis ["packed","spread"]; give one value, or use sweep or search)"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::scenario::places_test
