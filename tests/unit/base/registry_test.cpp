#include "foreflow/base/registry.h"

#include <gtest/gtest.h>

#include "foreflow/base/text.h"

namespace foreflow::registry_test {
namespace {

struct PetDef {
  std::string_view name;
  int legs;
};

const Registry<PetDef>& pets() {
  static const Registry<PetDef> table("pet", "pets", {{"dog", 4}, {"bird", 2}, {"ant", 6}});
  return table;
}

TEST(Registry, KeepsTheOrderOfItsList) {
  EXPECT_EQ(pets().names(), (std::vector<std::string>{"dog", "bird", "ant"}));
  EXPECT_EQ(pets().begin()->legs, 4);
  EXPECT_EQ(pets().size(), 3u);
}

TEST(Registry, FindsARowOrSaysThatThereIsNone) {
  ASSERT_NE(pets().find("ant"), nullptr);
  EXPECT_EQ(pets().find("ant")->legs, 6);
  EXPECT_EQ(pets().find("cat"), nullptr);
  EXPECT_EQ(pets().get("bird", "here").legs, 2);
}

TEST(Registry, NamesTheNearestRowWhenThereIsNoSuchRow) {
  try {
    pets().get("brid", "zoo.json: $.pet");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "zoo.json: $.pet");
    EXPECT_EQ(error.problem(), "unknown pet \"brid\"; the nearest is \"bird\" (see: foreflow list pets)");
  }
}

TEST(Registry, NamesNoRowAsNearThatIsNot) {
  try {
    pets().get("quux", "zoo.json: $.pet");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "unknown pet \"quux\"; use " + list_or(pets().names()) + " (see: foreflow list pets)");
  }
}

TEST(Registry, PointsToNoListThatThereIsNot) {
  const Registry<PetDef> hidden("pet", {{"dog", 4}, {"bird", 2}});
  try {
    hidden.get("brid", "here");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "unknown pet \"brid\"; the nearest is \"bird\"");
  }
}

TEST(Registry, RefusesTwoRowsOfOneName) {
  EXPECT_THROW(Registry<PetDef>("pet", {{"dog", 4}, {"dog", 3}}), InternalError);
}

}  // namespace
}  // namespace foreflow::registry_test
