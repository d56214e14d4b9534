// The walker's own parts.
#include "golden/golden_file.h"

#include <gtest/gtest.h>

#include "foreflow/base/error.h"

namespace foreflow::golden {
namespace {

constexpr std::string_view kFile =
    "# run: foreflow check 'a b.distir'\n"
    "# input: a b.distir\n"
    "# An unknown op is named with its place.\n"
    "# exit: 1\n"
    "--- input\n"
    "func @f()\n"
    "--- stdout\n"
    "half a line\n"
    "\\ no newline at the end\n"
    "--- stderr\n"
    "foreflow: error: a b.distir:1:1: is wrong\n";

TEST(GoldenFile, HoldsACommandItsInputAndItsOutput) {
  const GoldenFile file = parse_golden(kFile, "f");
  EXPECT_EQ(file.arguments, (std::vector<std::string>{"check", "a b.distir"}));
  EXPECT_EQ(file.input_name, "a b.distir");
  EXPECT_EQ(file.input, "func @f()\n");
  EXPECT_EQ(file.exit_code, 1);
  EXPECT_EQ(file.out, "half a line");
  EXPECT_EQ(file.err, "foreflow: error: a b.distir:1:1: is wrong\n");
}

TEST(GoldenFile, IsPrintedAsItWasRead) { EXPECT_EQ(print_golden(parse_golden(kFile, "f")), kFile); }

TEST(GoldenFile, MustBeginWithItsCommand) {
  EXPECT_THROW(parse_golden("", "f"), Error);
  EXPECT_THROW(parse_golden("# about\n# run: foreflow list\n", "f"), Error);
  EXPECT_THROW(parse_golden("# run: foreflow list\nstray\n", "f"), Error);
  EXPECT_THROW(parse_golden("# run: foreflow list\n# exit: one\n", "f"), Error);
  EXPECT_THROW(parse_golden("# run: foreflow list\n--- input\nx\n", "f"), Error);
}

TEST(SplitWords, KeepsSpacesInQuotesAndEmptyWords) {
  EXPECT_EQ(split_words(" a  'b \"c' \"\" d'e f'", "f"), (std::vector<std::string>{"a", "b \"c", "", "de f"}));
  EXPECT_THROW(split_words("a 'b", "f"), Error);
}

TEST(FirstDifference, ShowsTheFirstLineThatDiffers) {
  EXPECT_EQ(first_difference("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(first_difference("a\nb\n", "a\nc\n"), "line 2\n  expected: b\n  actual:   c\n");
  EXPECT_EQ(first_difference("a\n", "a\nb\n"), "line 2\n  expected: \n  actual:   b\n");
}

}  // namespace
}  // namespace foreflow::golden
