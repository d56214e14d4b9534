#include "foreflow/search/space.h"

#include <gtest/gtest.h>

#include <set>

namespace foreflow::search::space_test {
namespace {

Json source(const std::string& strategy, const std::string& more = "", const std::string& platform = R"("dgx2")") {
  return parse_json(R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": )" +
                        platform + R"(}, "engine": "analytic")" +
                        (strategy.empty() ? "" : R"(, "strategy": )" + strategy) + more + "}",
                    "mlp.json");
}

Space space_of(const Json& question) { return {question, "mlp.json", clusters_of(question, "mlp.json")}; }

std::vector<Json> points(const Json& question) { return space_of(question).points(); }

std::set<std::string> values(const std::vector<Json>& points, const char* key) {
  std::set<std::string> all;
  for (const Json& point : points) all.insert(point.find(key) == nullptr ? "absent" : point.find(key)->dump_compact());
  return all;
}

TEST(Space, HasEveryWayToUseAllDevices) {
  // 16 = dp x tp x pp: powers of two whose exponents sum to 4 in three places.
  std::set<std::string> ways;
  for (const Json& point : points(source(R"({"global_batch": 64})"))) {
    const auto degree = [&](const char* key) { return *point.find(key)->if_int(); };
    EXPECT_EQ(degree("dp") * degree("tp") * degree("pp"), 16);
    EXPECT_EQ(64 / degree("dp") % degree("microbatches"), 0);
    ways.insert(Json::object().set("dp", degree("dp")).set("tp", degree("tp")).dump_compact());
  }
  EXPECT_EQ(ways.size(), 6U * 5U / 2U);
}

// A family's default counts as if it were stated: 32 layers of 8 devices are 4 stages of each, or 2.
TEST(Space, HasTheVirtualStagesOfLayersThatAreNotStated) {
  for (const char* layers : {"", R"(, "layers": 32)"}) {
    const std::string text = R"({"workload": {"model": "llama", "mode": "training")" + std::string(layers) +
                             R"(}, "platform": {"topology": "dgx_h100"}, "engine": "analytic", "strategy":
                             {"dp": 1, "tp": 1, "pp": 8, "microbatches": 8, "global_batch": 8,
                              "schedule": "interleaved_1f1b"}})";
    EXPECT_EQ(values(points(parse_json(text, "llama.json")), "virtual_stages"), (std::set<std::string>{"2", "4"}))
        << layers;
  }
}

// The error of a question; "" where there is none.
std::string message_of(const Json& question) {
  try {
    space_of(question);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// A value that is impossible beside the others is an infeasible point, one of another kind is a mistake.
TEST(Space, RefusesValuesThatAreOfAnotherKindThanTheirKeys) {
  const auto message = [](const std::string& strategy) { return message_of(source(strategy)); };
  EXPECT_EQ(message(R"({"dp": [1, "x"]})"), "mlp.json: $.strategy.dp[1]: expected a whole number, found \"x\"");
  EXPECT_EQ(message(R"([{"tp": 2}, {"zero": ["0"]}])"),
            "mlp.json: $.strategy[1].zero[0]: expected a whole number, found \"0\"");
  EXPECT_EQ(message(R"({"tp": [2, "any"]})"), "mlp.json: $.strategy.tp[1]: expected a whole number, found \"any\"");
  for (const char* key : {"microbatch_size", "virtual_stages"})
    EXPECT_EQ(message(R"({")" + std::string(key) + R"(": "x"})"),
              "mlp.json: $.strategy." + std::string(key) + ": expected a whole number, found \"x\"");
  EXPECT_EQ(message(R"({"tp": "any", "dp": 1, "pp": [1, 3], "zero": "any", "global_batch": 64})"), "");
}

// A value that some platform or another value of the placement allows makes infeasible points instead.
TEST(Space, RefusesValuesOfThePlacementThatNoPointCanHave) {
  const auto message = [](const std::string& placement, const char* nodes = "2") {
    return message_of(source(R"({"global_batch": 64})", R"(, "placement": )" + placement,
                             R"("dgx2", "nodes": )" + std::string(nodes)));
  };
  const std::string unknown =
      R"(: unknown placement "pakced"; the nearest is "packed" (see: foreflow list placements))";
  EXPECT_EQ(message(R"("pakced")"), "mlp.json: $.placement" + unknown);
  EXPECT_EQ(message(R"(["spread", "pakced"])"), "mlp.json: $.placement[1]" + unknown);
  EXPECT_EQ(message(R"({"policy": "pakced"})"), "mlp.json: $.placement.policy" + unknown);
  EXPECT_EQ(message(R"({"policy": ["spread", "pakced"], "order": "any"})"),
            "mlp.json: $.placement.policy[1]" + unknown);
  EXPECT_EQ(message(R"({"polcy": ["spread"]})"),
            R"(mlp.json: $.placement.polcy: unknown key "polcy"; the nearest is "policy")");
  EXPECT_EQ(
      message(R"({"order": ["tp-pp-dp", "any"]})"),
      R"(mlp.json: $.placement.order[1]: "any" is no order of tp, pp and dp; write one like "tp-pp-dp", innermost )"
      "first");
  EXPECT_EQ(message(R"({"devices": "any"})"), R"(mlp.json: $.placement.devices: expected a list, found "any")");
  EXPECT_EQ(message(R"({"devices": ["0-7", 32]})"),
            "mlp.json: $.placement.devices[1]: there is no device 32; the 32 of dgx2_2 are 0 to 31");
  EXPECT_EQ(message(R"({"devices": [["0-7"], [32]]})", "[1, 2]"),
            "mlp.json: $.placement.devices[1][0]: there is no device 32; the 16 of dgx2_1 are 0 to 15");
  EXPECT_EQ(message(R"({"seed": 1})"), "mlp.json: $.placement.seed: is for the policy random only");
  EXPECT_EQ(message(R"({"policy": ["random"], "seed": [0, -1]})"),
            "mlp.json: $.placement.seed[1]: -1 is too small; use 0 or more");
  for (const char* no_placement : {"5", "null"})
    EXPECT_NE(message(no_placement).find("$.placement: is neither the name of a policy nor an object"),
              std::string::npos);
  EXPECT_EQ(message(R"({"devices": ["16-31"], "order": "any"})", "[1, 2]"), "");
  EXPECT_EQ(message(R"({"policy": ["packed", "random"], "seed": 1, "order": "any"})"), "");
}

TEST(Space, TakesTheProductOfTheListsThatAreGiven) {
  const auto all =
      points(source(R"({"dp": [1, 2], "tp": [1, 2, 4], "pp": 1, "microbatches": 1, "schedule": ["1f1b", "gpipe"],
                 "recompute": "none", "zero": 0, "overlap_gradients": false, "overlap_tensor": 1})"));
  EXPECT_EQ(all.size(), 2U * 3U * 2U);
}

// One stage gains by split backward passes, and inference by several stages on a device.
TEST(Space, LeavesScheduleOpenWhereSomeOrderCanWin) {
  const char* strategy = R"({"dp": 1, "tp": 1, "pp": [1, 2], "microbatches": 4, "global_batch": 8})";
  const auto training  = points(source(strategy));
  EXPECT_TRUE(values(training, "schedule").contains("\"gpipe\""));
  const auto of_one_stage = points(source(R"({"dp": 1, "tp": 1, "pp": 1, "microbatches": 4, "global_batch": 8})"));
  EXPECT_EQ(values(of_one_stage, "schedule"),
            (std::set<std::string>{"\"1f1b\"", "\"dualpipe_v\"", "\"zb_h1\"", "\"zb_v\""}));
  Json inference = source(strategy);
  inference.member("workload").set("mode", "inference");
  EXPECT_EQ(values(points(inference), "schedule"),
            (std::set<std::string>{"\"1f1b\"", "\"interleaved_1f1b\"", "absent"}));
}

TEST(Space, TakesAnyForAllThatIsLegal) {
  const auto open = points(source(R"({"global_batch": 16})"));
  const auto asked =
      points(source(R"({"dp": "any", "tp": "any", "pp": "any", "microbatches": "any", "global_batch": 16})"));
  EXPECT_EQ(open.size(), asked.size());
}

TEST(Space, TakesAnyPlacementForEveryOrder) {
  const auto orders = [](const std::string& more) {
    const Json asked = source(R"({"dp": 2, "tp": 2, "pp": 8, "global_batch": 16})", more, R"("dgx2", "nodes": 2)");
    return values(points(asked), "placement.order");
  };
  const std::string any = R"(, "placement": "any")", megatron = R"(, "framework": "megatron-lm")";
  EXPECT_EQ(orders(any).size(), 6U);
  EXPECT_EQ(orders(any), orders(""));
  EXPECT_EQ(orders(megatron), std::set<std::string>{"absent"});
  EXPECT_EQ(orders(any + megatron), orders(any));
}

// No divisors make 16 devices of 7; without an error all degrees would be 1.
TEST(Space, RefusesDegreesThatMakeNoNumberOfDevices) {
  try {
    space_of(source(R"({"tp": 7, "global_batch": 16})"));
    FAIL() << "nothing was wrong";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "mlp.json: $.strategy: no dp, tp and pp with tp 7 make the 16 devices; use degrees whose product "
                 "divides them, or state all three");
  }
}

// A server has 16 devices, of which no pipeline makes replicas of 3; three servers have 48.
TEST(Space, HasNothingOnPlatformsThatDegreesDoNotFit) {
  const Json question = source(R"({"dp": 3, "tp": 1, "global_batch": 48})", "", R"("dgx2", "nodes": [1, 3])");
  for (const Json& point : points(question)) {
    if (point.find("platform")->dump_compact() == R"({"nodes":3})") {
      EXPECT_EQ(point.find("pp")->dump_compact(), "16");
    } else {
      EXPECT_EQ(point.find("pp")->dump_compact(), "17");  // more than there are: refused
    }
  }
}

TEST(Space, OfSeveralStrategiesIsTheUnion) {
  const auto all = points(source(
      R"([{"pp": 1, "microbatches": 1, "global_batch": 64, "schedule": "1f1b", "zero": 0, "recompute": "none", "overlap_gradients": false, "overlap_tensor": 1},
    {"pp": [1, 2, 4, 8, 16], "microbatches": [1, 2], "global_batch": 64, "schedule": "1f1b", "zero": 0, "recompute": "none", "overlap_gradients": false, "overlap_tensor": 1}])"));
  EXPECT_EQ(all.size(), 15U * 2U);  // pp 1 with one microbatch is in both
}

TEST(Space, MapsGroupsToNodesInEveryOrderThatDiffers) {
  const Json question =
      source(R"({"dp": 2, "tp": 1, "pp": 16, "microbatches": 1, "schedule": "1f1b"})", "", R"("dgx2", "nodes": 2)");
  EXPECT_EQ(values(points(question), "placement.order").size(), 2U);  // dp within pp, and pp within dp
  const Json three =
      source(R"({"dp": 2, "tp": 2, "pp": 8, "microbatches": 1, "schedule": "1f1b"})", "", R"("dgx2", "nodes": 2)");
  EXPECT_EQ(values(points(three), "placement.order").size(), 6U);
}

TEST(Space, TakesListsOfThePlacement) {
  const Json question = source(R"({"dp": 16, "tp": 1, "pp": 1, "microbatches": 1})",
                               R"(, "placement": {"policy": ["packed", "spread"], "order": "tp-dp-pp"})");
  const Space space   = space_of(question);
  const auto all      = space.points();
  EXPECT_EQ(values(all, "placement.policy"), (std::set<std::string>{"\"packed\"", "\"spread\""}));
  EXPECT_EQ(space.placement(all.front()).dump_compact(), R"({"order":"tp-dp-pp","policy":"packed"})");
  EXPECT_EQ(strategy_of(all.front()).find("placement.policy"), nullptr);
}

TEST(Space, ChoosesAmongPlatforms) {
  const Json question = source(R"({"tp": 1, "pp": 1, "microbatches": 1, "global_batch": 48, "schedule": "1f1b"})", "",
                               R"("dgx2", "nodes": [1, 3])");
  const Space space   = space_of(question);
  std::map<std::string, std::set<std::string>> degrees;  // by platform
  for (const Json& point : space.points()) {
    EXPECT_EQ(strategy_of(point).find("platform"), nullptr);
    degrees[platform_of(point).dump_compact()].insert(point.find("dp")->dump_compact());
    EXPECT_EQ(space.cluster(point), point.find("dp")->dump_compact() == "16" ? 0U : 1U);
  }
  const std::map<std::string, std::set<std::string>> expected = {{R"({"nodes":1})", {"16"}},
                                                                 {R"({"nodes":3})", {"48"}}};
  EXPECT_EQ(degrees, expected);
}

TEST(Space, EstimatesHowManyPointsThereAre) {
  const Space listed = space_of(source(
      R"({"dp": [1, 2], "tp": [1, 2, 4], "pp": 1, "microbatches": 1, "schedule": "1f1b", "recompute": "none", "zero": 0,
          "overlap_gradients": false, "overlap_tensor": 1})"));
  EXPECT_NEAR(listed.estimate(), 6, 1e-9);
  const Space open = space_of(source(R"({"global_batch": 64})"));
  EXPECT_NEAR(open.estimate() / static_cast<double>(open.points().size()), 1, 0.25);
}

TEST(Space, SharesSequencesWhereContextParallelismIsAskedFor) {
  Json question = source(
      R"({"cp": "any", "global_batch": 16, "zero": 0, "schedule": "1f1b", "recompute": "none", "sequence_parallel": false})");
  question.set("workload",
               parse_json(R"({"model": "moe", "layers": 4, "hidden": 64, "heads": 4, "sequence": 32, "experts": 4,
                                          "routing_groups": 4, "vocabulary": 64})",
                          "moe.json"));
  const std::vector<Json> all = points(question);
  EXPECT_EQ(values(all, "cp"), (std::set<std::string>{"1", "2", "4"}));
  EXPECT_EQ(values(all, "ep"), (std::set<std::string>{"1", "2", "4"}));
  for (const Json& point : all) {
    const auto degree = [&](const char* key) { return *point.find(key)->if_int(); };
    EXPECT_EQ(degree("dp") * degree("cp") * degree("tp") * degree("pp"), 16);
    EXPECT_EQ(degree("dp") * degree("cp") % degree("ep"), 0);
  }
  question.member("strategy").set("cp", 1);
  EXPECT_EQ(values(points(question), "cp"), (std::set<std::string>{"1"}));
}

TEST(Space, SharesNoImages) {
  Json question = source(R"({"cp": "any", "global_batch": 16, "zero": 0, "schedule": "1f1b", "recompute": "none"})");
  for (const char* model : {"vit", "resnet50"}) {
    question.set("workload", Json::object().set("model", model));
    EXPECT_EQ(values(points(question), "cp"), (std::set<std::string>{"1"})) << model;
  }
}

TEST(Space, MeetsEveryPointOnceWithoutHoldingThem) {
  // 300,000 points; a value that is listed twice counts once.
  std::string list = "1";
  for (int i = 1; i <= 100; ++i) list += "," + std::to_string(i);
  const Space space = space_of(source(R"({"dp": [)" + list + R"(], "tp": [)" + list + R"(], "pp": [1, 2, 3],
                                        "microbatches": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], "zero": 0, "recompute": "none", "schedule": "1f1b",
                                        "overlap_gradients": false, "overlap_tensor": 1})"));
  size_t met        = 0;
  space.visit([&](const Json&) { return ++met > 0; });
  EXPECT_EQ(met, 100U * 100U * 3U * 10U);
}

TEST(Space, RefusesMoreDegreesThanItCanHold) {
  std::string list = "1";
  for (int i = 2; i <= 1100; ++i) list += "," + std::to_string(i);
  EXPECT_THROW(space_of(source(R"({"dp": [)" + list + R"(], "tp": [)" + list + "]}")), Error);
}

}  // namespace
}  // namespace foreflow::search::space_test
