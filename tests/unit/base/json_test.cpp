#include "foreflow/base/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace foreflow::json_test {
namespace {

std::string where_of(const std::string& text) {
  try {
    parse_json(text, "f.json");
  } catch (const Error& error) {
    return error.where();
  }
  return "no Error was thrown";
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const Json json = parse_json(R"({"a": [null, true, -3, 0.5, "x\u00e9\n"], "b": {}})", "f.json");
  ASSERT_NE(json.find("a"), nullptr);
  const Json::Array& items = *json.find("a")->if_array();
  EXPECT_TRUE(items.at(0).is_null());
  EXPECT_EQ(*items.at(1).if_bool(), true);
  EXPECT_EQ(*items.at(2).if_int(), -3);
  EXPECT_EQ(*items.at(3).if_double(), 0.5);
  EXPECT_EQ(*items.at(4).if_string(), "x\xc3\xa9\n");
  EXPECT_TRUE(json.find("b")->if_object()->empty());
}

TEST(ParseJson, KeepsWholeNumbersExactUpTo64Bits) {
  EXPECT_EQ(*parse_json("9223372036854775807", "f").if_int(), INT64_MAX);
  EXPECT_EQ(*parse_json("-9223372036854775808", "f").if_int(), INT64_MIN);
  const Json larger = parse_json("9223372036854775808", "f");
  EXPECT_EQ(larger.if_int(), nullptr);
  EXPECT_EQ(*larger.if_double(), 0x1p63);
}

TEST(ParseJson, NamesTheLineAndColumnOfTheLastCharacterThatWasRead) {
  EXPECT_EQ(where_of("{\n  \"a\": 1\n  \"b\": 2\n}"), "f.json:3:5");
  EXPECT_EQ(where_of("{\"a\": tru}"), "f.json:1:10");
  EXPECT_EQ(where_of("[1, 2,]"), "f.json:1:7");
  EXPECT_EQ(where_of("[1] x"), "f.json:1:5");
  EXPECT_EQ(where_of("[1,\n"), "f.json:2:1");
  EXPECT_EQ(where_of(""), "f.json:1:1");
  EXPECT_EQ(where_of("[\n1e999]"), "f.json:2:5");
  EXPECT_EQ(where_of("[\"a\nb\"]"), "f.json:1:4");
}

// The library takes a zero byte for the end of the text.
TEST(ParseJson, RefusesWhateverStandsAfterTheDocument) {
  using namespace std::string_literals;
  EXPECT_EQ(where_of("{}\n\0"s), "f.json:2:1");
  EXPECT_EQ(where_of("{\n}\0\n"s), "f.json:2:2");
  EXPECT_EQ(where_of("[1] \0[2]"s), "f.json:1:5");
  EXPECT_EQ(where_of("[1,\0 2]"s), "f.json:1:4");
  EXPECT_EQ(where_of("\"a\0b\""s), "f.json:1:3");
  EXPECT_EQ(where_of("{}\x01"s), "f.json:1:3");
  EXPECT_EQ(where_of("{} {}"), "f.json:1:4");
  EXPECT_EQ(where_of("{}\n\t \r\n"), "no Error was thrown");
}

TEST(ParseJson, DescribesAProblemWithoutTheNamesOfItsLibrary) {
  try {
    parse_json("[1e999]", "f.json");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "malformed JSON: number overflow parsing '1e999'");
  }
}

TEST(ParseJson, NamesTheObjectInWhichAKeyStandsTwice) {
  EXPECT_EQ(where_of(R"({"a": [0, {"k": 1, "k": 2}]})"), "f.json: $.a[1]");
  EXPECT_EQ(where_of(R"({"k": {"k": 2}, "k": 1})"), "f.json: $");
}

TEST(ParseJson, RefusesAbsurdDepth) {
  EXPECT_EQ(where_of(std::string(100000, '[')), "f.json");
  const std::string deep = std::string(150, '[') + std::string(150, ']');
  EXPECT_EQ(where_of(deep), "no Error was thrown");
}

TEST(Json, PrintsMembersInTheOrderInWhichTheyWereAdded) {
  Json json;
  json.set("z", 1).set("a", Json::array()).set("z", 2);
  json.member("list").push("x");
  EXPECT_EQ(json.dump_compact(), R"({"z":2,"a":[],"list":["x"]})");
  EXPECT_EQ(json.dump(), "{\n  \"z\": 2,\n  \"a\": [],\n  \"list\": [\n    \"x\"\n  ]\n}\n");
}

TEST(Json, PrintsNumbersThatReadBackTheSame) {
  for (const double number : {0.1, 1.0 / 3, 1e-320, 1.7976931348623157e308, 123456789.0, -0.0}) {
    const Json back = parse_json(Json(number).dump(), "f");
    ASSERT_NE(back.if_double(), nullptr) << number;
    EXPECT_EQ(*back.if_double(), number);
    EXPECT_EQ(std::signbit(*back.if_double()), std::signbit(number));
  }
}

TEST(Json, WritesWholeBytesAsWholeNumbers) {
  EXPECT_EQ(whole_bytes(Bytes(53601894400)).dump_compact(), "53601894400");
  EXPECT_EQ(whole_bytes(Bytes(-512)).dump_compact(), "-512");
  EXPECT_EQ(whole_bytes(Bytes(0.5)).dump_compact(), "0.5");
  EXPECT_EQ(whole_bytes(Bytes(0x1p60)).dump_compact(), Json(0x1p60).dump_compact());
}

TEST(Json, PrintsWhatJsonCannotSay) {
  EXPECT_EQ(Json(std::nan("")).dump_compact(), "null");
  EXPECT_EQ(Json("\xff").dump_compact(), "\"\xef\xbf\xbd\"");
}

TEST(Json, RefusesMembersOfWhatIsNoObject) {
  EXPECT_THROW(Json(1).set("a", 2), InternalError);
  EXPECT_THROW(Json::object().push(2), InternalError);
}

}  // namespace
}  // namespace foreflow::json_test
