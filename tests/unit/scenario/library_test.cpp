// Communication libraries in scenarios: who chooses for which kind, and what is refused.
#include "scenario/library.h"

#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/idle.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::library_test {
namespace {

using collective::Kind;

Scenario with(const std::string& collectives, const std::string& cost = "roofline") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 2, "hidden": 64, "heads": 4, "sequence": 32,
      "vocabulary": 128, "dtype": "bf16"}, "platform": {"topology": "dgx_a100"}, "engine": "analytic",
      "strategy": {"tp": 4}, "cost": {"model": ")" +
                           cost + R"("}, "collective": {)" + collectives + "}}";
  return load(parse_json(text, "library.json"), "library.json");
}

std::string_view chosen(const Scenario& scenario, Kind kind) {
  const auto* algorithm = nth(scenario.collectives.algorithms, kind);
  return algorithm == nullptr ? "" : algorithm->name;
}

std::string refused(const std::string& collectives) {
  try {
    with(collectives);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LibraryOfAScenario, ChoosesForEveryKindButThoseWithAnAlgorithmThatIsNamed) {
  const Scenario scenario = with(R"("library": "nccl@2.18", "all_gather": "recursive")");
  EXPECT_EQ(chosen(scenario, Kind::all_reduce), "nccl@2.18");
  EXPECT_EQ(chosen(scenario, Kind::send), "nccl@2.18");
  EXPECT_EQ(chosen(scenario, Kind::all_gather), "recursive");
  EXPECT_EQ(chosen(with(""), Kind::all_reduce), "");
}

TEST(LibraryOfAScenario, IsTheNewestWithoutAVersion) {
  EXPECT_EQ(chosen(with(R"("library": "nccl")"), Kind::all_reduce), "nccl@2.23");
  EXPECT_EQ(chosen(with(R"("library": "nccl")", "calibrated"), Kind::all_reduce),
            chosen(with(R"("library": "nccl@2.23")", "calibrated"), Kind::all_reduce));
}

TEST(LibraryOfAScenario, IsRefusedWithTheNearestNameAndThePlace) {
  const std::string said = refused(R"("library": "nccl@2.19")");
  EXPECT_NE(said.find("library.json: $.collective.library"), std::string::npos) << said;
  EXPECT_NE(said.find("nccl@2.18"), std::string::npos) << said;
}

TEST(LibraryOfAScenario, TakesWhatWasMeasuredWithCalibratedCosts) {
  EXPECT_EQ(chosen(with(R"("library": "nccl@2.18")", "calibrated"), Kind::all_reduce), "nccl@2.18, measured");
  EXPECT_EQ(&algorithm_named("nccl@2.18, measured", "test"),
            with(R"("library": "nccl@2.18")", "calibrated").collectives.algorithms[1]);
}

TEST(LibraryOfAScenario, IsNamedInTheResultWithItsProtocol) {
  const report::Summary summary = run(with(R"("library": "nccl@2.18")")).summary;
  ASSERT_FALSE(summary.collectives.empty());
  for (const report::CollectiveSummary& row : summary.collectives) {
    EXPECT_TRUE(row.by_library);
    EXPECT_NE(row.algorithm.find("ring L"), std::string::npos) << row.algorithm;
  }
}

TEST(LibraryOfAScenario, HasNoEffectWhereNothingIsCommunicated) {
  Json json = with(R"("library": "nccl@2.18")").source;
  json.member("strategy").set("tp", 1);
  const Scenario alone = load(json, "library.json");
  const auto idle      = idle_keys(alone, run(alone).summary);
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle.front().why, "the program communicates nothing");
}

}  // namespace
}  // namespace foreflow::scenario::library_test
