#include "foreflow/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "support/temporary.h"

namespace foreflow::scenario::scenario_test {
namespace {

Scenario loaded(const std::string& text) { return load(parse_json(text, "s.json"), "s.json"); }

const char* const kMlp =
    R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": "dgx2"}})";

TEST(Scenario, AsksForTheBatchOfAFileWhereMicrobatchesHaveASize) {
  const Json json = parse_json(R"({"workload": {"onnx": "m.onnx"}, "platform": {"topology": "dgx2"},
                                   "strategy": {"microbatch_size": 1}})",
                               "s.json");
  try {
    load(json, "s.json");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "s.json: $.strategy.microbatch_size: needs a global_batch, even that which the program or graph in the "
        "file has; give it, or microbatches");
  }
}

TEST(Scenario, OfTwoLinesHasDefaults) {
  const Scenario scenario = loaded(kMlp);
  EXPECT_EQ(scenario.name, "s");
  EXPECT_EQ(scenario.strategy.devices(), 1);
  EXPECT_EQ(scenario.strategy.microbatches, 1);
  EXPECT_EQ(scenario.strategy.global_batch, 1);
  EXPECT_EQ(scenario.strategy.schedule->name, "1f1b");
  EXPECT_EQ(scenario.platform.recipe.parts.at(0).nodes, 1);
  EXPECT_EQ(scenario.cost.name, "calibrated");
  EXPECT_EQ(scenario.engine->name, "simgrid");
  EXPECT_EQ(scenario.workload.dtype, ir::DType::f32);
  EXPECT_EQ(scenario.workload.mode, workload::Mode::training);
  EXPECT_EQ(scenario.workload.optimizer, "sgd");
}

TEST(Scenario, OfGptTrainsWithAdamUnlessItSaysOtherwise) {
  const char* const gpt = R"({"workload": {"model": "gpt"}, "platform": {"topology": "dgx2"}})";
  EXPECT_EQ(loaded(gpt).workload.optimizer, "adam");
}

TEST(Scenario, TakesTheSizeOfAMicrobatchInPlaceOfTheirNumber) {
  Json json = parse_json(kMlp, "s.json");
  json.set("strategy", parse_json(R"({"dp": 2, "global_batch": 64, "microbatch_size": 4})", "strategy"));
  EXPECT_EQ(load(json, "s.json").strategy.microbatches, 64 / 2 / 4);
}

TEST(Scenario, LeavesTheBatchOfAFileToTheFile) {
  const Scenario scenario = loaded(R"({"workload": {"onnx": "m.onnx"}, "platform": {"topology": "dgx2"}})");
  EXPECT_EQ(scenario.strategy.global_batch, 0);
  EXPECT_EQ(scenario.workload.mode, workload::Mode::inference);
  EXPECT_FALSE(scenario.workload.dtype.has_value());
}

TEST(Scenario, PathsAreRelativeToItsFile) {
  const Json json = parse_json(R"({"workload": {"onnx": "m.onnx"}, "platform": {"file": "p.xml"}})", "a/b/s.json");
  EXPECT_EQ(load(json, "a/b/s.json").workload.path, "a/b/m.onnx");
  EXPECT_EQ(load(json, "a/b/s.json").platform.path, "a/b/p.xml");
}

TEST(Scenario, ChoosesCollectiveAlgorithmsByKind) {
  Json json = parse_json(kMlp, "s.json");
  json.set("collective", parse_json(R"({"broadcast": "chain"})", "collective"));
  const Scenario scenario = load(json, "s.json");
  EXPECT_EQ(nth(scenario.collectives.algorithms, collective::Kind::broadcast)->name, "chain");
  EXPECT_EQ(nth(scenario.collectives.algorithms, collective::Kind::all_gather), nullptr);
}

TEST(Scenario, TakesACalibrationFileAsItsCost) {
  const test::TemporaryFolder folder;
  write_file(folder / "v100.json", R"({"model": "roofline", "compute_efficiency": 0.5})");
  Json json = parse_json(kMlp, "s.json");
  json.set("cost", Json::object().set("model", "v100.json"));
  EXPECT_EQ(load(json, folder / "s.json").cost.name, "roofline");
  json.set("cost", Json::object().set("model", "v100.json").set("compute_efficiency", 2));
  EXPECT_THROW(load(json, folder / "s.json"), Error);
}

TEST(Scenario, SaysHowItNamesAFileThatIsGivenInItsPlace) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) -> std::string {
    write_file(folder / name, "<platform>");
    try {
      read_source(folder / name, {});
    } catch (const Error& error) {
      return error.problem();
    }
    return "";
  };
  const std::string names = "is no scenario; a scenario is a JSON file that names this one: ";
  EXPECT_EQ(refusal("p.xml"), names + R"("platform": {"file": "p.xml"})");
  EXPECT_EQ(refusal("m.onnx"), names + R"("workload": {"onnx": "m.onnx"})");
  EXPECT_EQ(refusal("m.distir"), names + R"("workload": {"distir": "m.distir"})");
  EXPECT_EQ(refusal("m.distirb"), names + R"("workload": {"distir": "m.distirb"})");
  EXPECT_TRUE(refusal("m.json").starts_with("malformed JSON"));
}

TEST(Overrides, AreJsonWhereTheyParseAndWordsElsewhere) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", kMlp);
  const Json json = read_source(folder / "s.json",
                                {"strategy.tp=4", "strategy.dp=[1, 2]", "engine=analytic", "workload.layers=\"4\""});
  EXPECT_EQ(json.find("strategy")->dump_compact(), R"({"tp":4,"dp":[1,2]})");
  EXPECT_EQ(*json.find("engine")->if_string(), "analytic");
  EXPECT_EQ(*json.find("workload")->find("layers")->if_string(), "4");
}

TEST(Overrides, SayHowToWriteThem) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", kMlp);
  EXPECT_THROW(read_source(folder / "s.json", {"strategy.tp"}), Error);
  EXPECT_THROW(read_source(folder / "s.json", {"=4"}), Error);
  EXPECT_THROW(read_source(folder / "s.json", {"workload.layers.x=4"}), Error);
}

TEST(Divisors, AreWholeAndAscending) {
  EXPECT_THAT(divisors(1), testing::ElementsAre(1));
  EXPECT_THAT(divisors(12), testing::ElementsAre(1, 2, 3, 4, 6, 12));
  EXPECT_THAT(divisors(16), testing::ElementsAre(1, 2, 4, 8, 16));
}

}  // namespace
}  // namespace foreflow::scenario::scenario_test
