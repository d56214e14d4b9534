#include "foreflow/base/error.h"

#include <gtest/gtest.h>

namespace foreflow::error_test {
namespace {

TEST(Error, SaysWhereAndWhatOnOneLine) {
  const Error error("gpt.json: $.strategy.tp", "6 does not divide 32");
  EXPECT_STREQ(error.what(), "gpt.json: $.strategy.tp: 6 does not divide 32");
  EXPECT_EQ(error.where(), "gpt.json: $.strategy.tp");
  EXPECT_EQ(error.problem(), "6 does not divide 32");
}

TEST(Check, ThrowsInternalErrorWithTheReasonTheConditionAndThePlace) {
  const int live = -1;
  try {
    FOREFLOW_CHECK(live >= 0, "a stage freed an activation it never held");
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("a stage freed an activation it never held (live >= 0 at "), std::string::npos) << message;
    EXPECT_NE(message.find("error_test.cpp:"), std::string::npos) << message;
  }
}

TEST(Check, DoesNotBuildItsReasonWhenTheConditionHolds) {
  int built = 0;
  FOREFLOW_CHECK(true, std::to_string(++built));
  EXPECT_EQ(built, 0);
}

}  // namespace
}  // namespace foreflow::error_test
