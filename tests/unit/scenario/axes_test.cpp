#include "foreflow/scenario/axes.h"

#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/scenario/schema.h"

namespace foreflow::scenario::axes_test {
namespace {

std::vector<Axis> axes_of(const std::string& text) { return axes(parse_json(text, "s.json"), "s.json"); }

// "a.b=[1,2] c=[3]"
std::string shown(const std::vector<Axis>& all) {
  std::string text;
  for (const Axis& axis : all) text += (text.empty() ? "" : " ") + axis.path() + "=" + Json(axis.values).dump_compact();
  return text;
}

std::string message_of(const std::string& text) {
  try {
    axes_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error was thrown";
}

TEST(Axes, AreTheListsOfAScenarioInTheOrderOfItsText) {
  EXPECT_EQ(shown(axes_of(R"({"strategy": {"tp": [2, 1], "dp": 4}, "engine": ["analytic", "simgrid"],
                              "platform": {"links": {"nic": {"bandwidth": ["25GBps", "50GBps"]}}}})")),
            R"(strategy.tp=[2,1] engine=["analytic","simgrid"] platform.links.nic.bandwidth=["25GBps","50GBps"])");
  EXPECT_TRUE(axes_of(R"({"strategy": {"tp": 2}})").empty());
}

TEST(Axes, MayBeWholePartsWhoseOwnListsAreMoreValues) {
  EXPECT_EQ(shown(axes_of(R"({"platform": [{"topology": "dgx2", "nodes": [1, 2]}, {"file": "a.xml"}]})")),
            R"(platform=[{"topology":"dgx2","nodes":1},{"topology":"dgx2","nodes":2},{"file":"a.xml"}])");
}

TEST(Axes, AreNotListsThatAreOneValueByNature) {
  EXPECT_TRUE(axes_of(R"({"workload": {"shapes": {"x": [1, 128], "y": []}}, "cost": {"all_reduce": {"2": [1, 2, 3]}}})")
                  .empty());
  EXPECT_EQ(shown(axes_of(R"({"workload": {"shapes": {"input.1": [[1, 128], [2, 128]]}}})")),
            "workload.shapes.input.1=[[1,128],[2,128]]");
}

TEST(Axes, AreNotTheListsInsideOfMeasuredTimesAndLaws) {
  const std::string families = R"([{"op": "Add", "points": [{"time": "1us"}]}, {"op": "Relu", "points": []}])";
  for (const std::string key : {"families", "laws"}) {
    const std::string cost = R"("cost": {")" + key + R"(": )";
    EXPECT_EQ(shown(axes_of("{" + cost + families + "}}")), "");
    EXPECT_EQ(shown(axes_of(R"({"jobs": [{)" + cost + families + "}}]}")), "");
    EXPECT_EQ(axes_of("{" + cost + "[" + families + ", []]}}").at(0).values.size(), 2U) << "two tables to try";
  }
}

// Whatever the key: a list of its row, and a list of lists.
TEST(Axes, AreNotTheListsOfKeysWhoseRowsSayThatTheyTakeOne) {
  const Json list  = parse_json("[1, 2]", "the test");
  const Json lists = parse_json("[[1, 2], [3]]", "the test");
  for (const KeySection& section : key_sections()) {
    for (const KeyDef& key : section.keys) {
      std::string path = path_of(section, key);
      for (size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]", at)) path.replace(at, 2, "[7]");
      EXPECT_EQ(is_axis(path, list), !key.type.is_list) << path;
      EXPECT_TRUE(is_axis(path, lists)) << path;
    }
  }
}

TEST(Axes, MayStandInsideOneItemOfAList) {
  EXPECT_EQ(shown(axes_of(R"({"disturbances": {"links": [{"link": "a", "changes": [{"factor": [0.1, 0.5]}]}]}})")),
            "disturbances.links[0].changes[0].factor=[0.1,0.5]");
}

TEST(Axes, NeedValuesThatDiffer) {
  EXPECT_EQ(message_of(R"({"strategy": {"tp": []}})"),
            "s.json: $.strategy.tp: is an axis without values; give one or more");
  EXPECT_EQ(message_of(R"({"strategy": {"tp": [1, 2, 1]}})"),
            "s.json: $.strategy.tp: is a list of values to try, and holds 1 twice; give each once");
}

TEST(Points, AreTheProductInWhichTheLastAxisChangesFastest) {
  const Json source = parse_json(R"({"a": [1, 2], "b": {"c": ["x", "y", "z"]}, "d": 0})", "s.json");
  const auto all    = axes(source, "s.json");
  std::vector<std::string> points;
  for (size_t i = 0; i < count_points(all, "s.json"); ++i)
    points.push_back(with_choice(source, all, choice_of(all, i)).dump_compact());
  EXPECT_EQ(points, (std::vector<std::string>{R"({"a":1,"b":{"c":"x"},"d":0})", R"({"a":1,"b":{"c":"y"},"d":0})",
                                              R"({"a":1,"b":{"c":"z"},"d":0})", R"({"a":2,"b":{"c":"x"},"d":0})",
                                              R"({"a":2,"b":{"c":"y"},"d":0})", R"({"a":2,"b":{"c":"z"},"d":0})"}));
}

TEST(Points, OfNoAxisAreTheScenarioItself) {
  const Json source = parse_json(R"({"a": 1})", "s.json");
  EXPECT_EQ(count_points({}, "s.json"), 1U);
  EXPECT_EQ(with_choice(source, {}, choice_of({}, 0)).dump(), source.dump());
}

TEST(Points, AreAtMostAMillion) {
  std::string list = "[0";
  for (int i = 1; i < 1001; ++i) list += "," + std::to_string(i);
  const auto all = axes_of(R"({"a": )" + list + R"(], "b": )" + list + "]}");
  EXPECT_THROW(count_points(all, "s.json"), Error);
}

TEST(ReferencedFiles, AreThoseOfEveryValueOfAnAxis) {
  const Json source = parse_json(R"({"name": "a.json", "workload": {"onnx": "m.onnx"},
      "platform": [{"file": ["p.xml", "/q.xml"]}, {"topology": "dgx2"}], "cost": {"model": ["roofline", "c.json"]}})",
                                 "s.json");
  using Files       = std::map<std::string, std::string>;
  EXPECT_EQ(referenced_files(source, "dir/s.json"),
            (Files{{"/q.xml", "/q.xml"}, {"c.json", "dir/c.json"}, {"m.onnx", "dir/m.onnx"}, {"p.xml", "dir/p.xml"}}));
}

}  // namespace
}  // namespace foreflow::scenario::axes_test
