// What is stated for the keys of a family, as typed values.
#include "foreflow/workload/key_values.h"

#include <gtest/gtest.h>

#include "foreflow/base/json.h"

namespace foreflow::workload::key_values_test {
namespace {

const std::vector<Key> kKeys = {{"heads", "a size"},
                                {"dropout", "a share", Key::Kind::number},
                                {"caches", "a choice", Key::Kind::boolean},
                                {"phase", "a word", Key::Kind::word}};

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
