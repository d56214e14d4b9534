#include <gtest/gtest.h>

#include "foreflow/base/expected.h"

namespace foreflow::refusal_test {
namespace {

Expected<int> halved(int number) {
  if (number % 2 != 0)
    return Refusal(Cause::value, "$.tp", std::to_string(number) + " is odd; use an even number", "tp");
  return number / 2;
}

TEST(Expected, HoldsAValueOrARefusal) {
  ASSERT_TRUE(halved(6));
  EXPECT_EQ(*halved(6), 3);
  const Expected<int> no = halved(7);
  ASSERT_FALSE(no);
  EXPECT_EQ(no.refusal().cause, Cause::value);
  EXPECT_EQ(no.refusal().key, "tp");
  EXPECT_EQ(sentence(no.refusal()), "$.tp: 7 is odd; use an even number");
}

TEST(Expected, ThrowsTheRefusalAsAnErrorAtItsPlace) {
  EXPECT_EQ(halved(8).value(), 4);
  try {
    halved(9).value();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "$.tp: 9 is odd; use an even number");
    ASSERT_NE(dynamic_cast<const RefusalError*>(&error), nullptr);
  }
}

TEST(Expected, CatchesTheRefusalOfDeepWorkAndNothingElse) {
  const auto deep = [](bool refuses) {
    if (refuses) throw RefusalError(Cause::stages, "pipeline: stages", "too few ops");
    throw Error("a.distir:3:1", "expected ')'");
    return 0;
  };
  EXPECT_EQ(attempt([&] { return deep(true); }).refusal().cause, Cause::stages);
  EXPECT_THROW(attempt([&] { return deep(false); }), Error);
}

TEST(Refusals, HaveCausesThatReadBack) {
  for (const Cause cause : {Cause::value, Cause::devices, Cause::placement, Cause::schedule, Cause::stages,
                            Cause::program, Cause::plan, Cause::memory, Cause::run})
    EXPECT_EQ(find_cause(name(cause), "test"), cause);
  EXPECT_THROW(find_cause("whim", "test"), Error);
}

TEST(Refusals, AreOneLineWhateverTheyQuote) {
  EXPECT_EQ(sentence(Refusal(Cause::value, "a\nb", "\"c\td\" is none")), "a\\nb: \"c\\td\" is none");
}

}  // namespace
}  // namespace foreflow::refusal_test
