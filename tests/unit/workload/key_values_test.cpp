// What is stated for the keys of a family, as typed values.
#include "foreflow/workload/key_values.h"

#include <gtest/gtest.h>

#include "foreflow/base/json.h"

namespace foreflow::workload::key_values_test {
namespace {

const std::vector<Key> kKeys = {
    {"heads", "a size", 12},
    {"width", "another", Derived{"2 heads", [](const FilledValues& values) { return 2 * values.size("heads"); }}},
    {"dropout", "a share", 0.5, Key::Kind::number},
    {"caches", "a choice", true, Key::Kind::boolean},
    {"phase", "a word", {}, Key::Kind::word}};

KeyValues read(const std::string& text) {
  const Json json = parse_json(text, "test");
  return read_key_values(JsonView(json, "gpt.json", "$.workload"), kKeys);
}

TEST(KeyValues, AreThoseThatAreStatedElseFallbacks) {
  const KeyValues all = read(R"({"model": "gpt", "heads": 0, "dropout": 1, "caches": false, "phase": "decode"})");
  EXPECT_EQ(all.integer_or("heads", 12), 0);
  EXPECT_EQ(all.number_or("dropout", 0.5), 1);
  EXPECT_EQ(all.text("dropout"), "1");
  EXPECT_FALSE(all.flag_or("caches", true));
  EXPECT_EQ(all.word_or("phase", "prefill"), "decode");
  EXPECT_FALSE(all.has("model")) << "is no key of the family";
  const KeyValues none = read("{}");
  EXPECT_EQ(none.integer_or("heads", 12), 12);
  EXPECT_EQ(none.number_or("dropout", 0.5), 0.5);
  EXPECT_TRUE(none.flag_or("caches", true));
  EXPECT_EQ(none.word_or("phase", "prefill"), "prefill");
}

TEST(FilledValues, AreThoseThatAreStatedElseDefaults) {
  const KeyValues none = read("{}"), stated = read(R"({"heads": 3, "dropout": 1, "caches": false, "phase": "decode"})");
  const FilledValues defaults(kKeys, none), values(kKeys, stated);
  EXPECT_EQ(defaults.integer("heads"), 12);
  EXPECT_EQ(defaults.integer("width"), 24);
  EXPECT_EQ(defaults.number("dropout"), 0.5);
  EXPECT_TRUE(defaults.flag("caches"));
  EXPECT_FALSE(defaults.stated().has("heads"));
  EXPECT_EQ(values.integer("heads"), 3);
  EXPECT_EQ(values.integer("width"), 6);
  EXPECT_EQ(values.number("dropout"), 1);
  EXPECT_FALSE(values.flag("caches"));
  EXPECT_EQ(values.word("phase"), "decode");
}

TEST(FilledValues, AreNoSizesWhereTheyAreNotLegal) {
  const KeyValues zero = read(R"({"heads": 0})"), large = read(R"({"heads": 1000000001})");
  for (const KeyValues& stated : {zero, large}) {
    const FilledValues values(kKeys, stated);
    EXPECT_EQ(values.size("heads"), 0);
    EXPECT_EQ(values.size("width"), 0) << "follows from one that is not legal";
    EXPECT_EQ(values.size("dropout"), 0) << "is no key of integers";
    EXPECT_EQ(values.size("layers"), 0) << "is no key of the family";
  }
}

TEST(Keys, AreExplainedWithTheirDefaults) {
  EXPECT_EQ(explained(kKeys[0]), "a size (12)");
  EXPECT_EQ(explained(kKeys[1]), "another (2 heads)");
  EXPECT_EQ(explained(kKeys[2]), "a share (0.5)");
  EXPECT_EQ(explained(kKeys[3]), "a choice (true)");
  EXPECT_EQ(explained(kKeys[4]), "a word");
}

TEST(KeyValues, KnowTheirPlaces) {
  const KeyValues stated = read(R"({"heads": 12})");
  EXPECT_EQ(stated.where("heads"), "gpt.json: $.workload.heads");
  EXPECT_EQ(stated.where("phase"), "gpt.json: $.workload");
}

TEST(KeyValues, AreOfTheKindsOfTheirKeys) {
  try {
    read(R"({"heads": 1.5})");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "gpt.json: $.workload.heads: expected a whole number, found 1.5");
  }
}

}  // namespace
}  // namespace foreflow::workload::key_values_test
