#include <gtest/gtest.h>

#include <functional>

#include "foreflow/base/json.h"

namespace foreflow::json_view_test {
namespace {

class JsonViewTest : public testing::Test {
 protected:
  std::string message_of(const std::function<void(const JsonView&)>& action) const {
    try {
      action(JsonView(json_, "gpt.json"));
    } catch (const Error& error) {
      return error.what();
    }
    return "no Error was thrown";
  }

  const Json json_ =
      parse_json(R"({"tp": 8, "ratio": 0.5, "list": [{"x": "2us"}], "on": true, "size": 4.0})", "gpt.json");
};

TEST_F(JsonViewTest, KnowsItsPath) {
  const JsonView view(json_, "gpt.json");
  EXPECT_EQ(view.where(), "gpt.json: $");
  EXPECT_EQ(view.at("list").items().at(0).at("x").where(), "gpt.json: $.list[0].x");
  EXPECT_EQ(view.members().at(1).second.where(), "gpt.json: $.ratio");
}

TEST_F(JsonViewTest, ReadsEveryKind) {
  const JsonView view(json_, "gpt.json");
  EXPECT_EQ(view.at("tp").as_int(), 8);
  EXPECT_EQ(view.at("tp").as_number(), 8.0);
  EXPECT_EQ(view.at("ratio").as_number(), 0.5);
  EXPECT_TRUE(view.at("on").as_bool());
  EXPECT_DOUBLE_EQ(view.at("list").items().at(0).at("x").as_seconds().value(), 2e-6);
}

TEST_F(JsonViewTest, FallsBackOnlyWhereTheKeyIsAbsent) {
  const JsonView view(json_, "gpt.json");
  EXPECT_EQ(view.int_or("tp", 1), 8);
  EXPECT_EQ(view.int_or("pp", 1), 1);
  EXPECT_TRUE(view.bool_or("off", true));
  EXPECT_EQ(view.string_or("name", "none"), "none");
  EXPECT_EQ(message_of([](const JsonView& v) { v.string_or("tp", "none"); }),
            "gpt.json: $.tp: expected a string, found 8");
}

TEST_F(JsonViewTest, SaysWhatWasExpectedAndWhatWasFound) {
  EXPECT_EQ(message_of([](const JsonView& v) { v.at("size").as_int(); }),
            "gpt.json: $.size: expected a whole number, found 4.0");
  EXPECT_EQ(message_of([](const JsonView& v) { v.at("tp").as_bytes(); }),
            "gpt.json: $.tp: expected a size with its unit such as \"64MiB\", found 8");
  EXPECT_EQ(message_of([](const JsonView& v) { v.at("tp").items(); }), "gpt.json: $.tp: expected a list, found 8");
  EXPECT_EQ(message_of([](const JsonView& v) { v.at("dp"); }), "gpt.json: $: the key \"dp\" is missing");
}

TEST_F(JsonViewTest, ShowsOnlyTheBeginningOfALongValue) {
  const Json json = parse_json("[\"" + std::string(1000, 'x') + "\"]", "f");
  try {
    JsonView(json, "f").as_int();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_LT(error.problem().size(), 120u);
  }
}

TEST_F(JsonViewTest, RefusesUnknownKeysWithTheNearestKnownOne) {
  EXPECT_EQ(message_of([](const JsonView& v) {
              v.allow_only({"tp", "ratios", "list", "on", "size"});
            }),
            "gpt.json: $.ratio: unknown key \"ratio\"; the nearest is \"ratios\"");
}

}  // namespace
}  // namespace foreflow::json_view_test
