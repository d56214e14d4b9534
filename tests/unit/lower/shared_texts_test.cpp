// Which integers of a text may differ between the ranks that share it, and how they are written.
#include "lower/pytorch/shared_texts.h"

#include <gtest/gtest.h>

namespace foreflow::lower::shared_texts_test {
namespace {

using Numbers = std::vector<int64_t>;

// The text that all ranks share, each of which brings one of `texts`, and the list of each rank.
struct Shared {
  std::string text;
  std::vector<Numbers> numbers;
};

Shared shared(const std::vector<std::string>& texts, Pattern (*split)(std::string_view),
              std::string (*join)(const Pattern&, const std::vector<std::string>&)) {
  SharedTexts all;
  RankNumbers numbers(texts.size());
  for (size_t rank = 0; rank < texts.size(); ++rank)
    EXPECT_EQ(all.add(static_cast<int>(rank), "f", split(texts[rank])), 0U) << texts[rank];
  all.number(numbers);
  Shared result{join(split(texts[0]), all.expressions(0)), {}};
  for (size_t rank = 0; rank < texts.size(); ++rank) result.numbers.push_back(numbers.of(static_cast<int>(rank)));
  return result;
}

Shared shared_code(const std::vector<std::string>& texts) { return shared(texts, integers_of_code, code_with); }
Shared shared_strings(const std::vector<std::string>& texts) {
  return shared(texts, integers_of_strings, strings_with);
}

TEST(SharedTexts, AreOneWhereIntegersDiffer) {
  const Shared code = shared_code({"send(v1, 2)  # Send f32[2]\n", "send(v1, 5)  # Send f32[2]\n"});
  EXPECT_EQ(code.text, "send(v1, numbers[0])  # Send f32[2]\n");
  EXPECT_EQ(code.numbers, (std::vector<Numbers>{{2}, {5}}));
}

TEST(SharedTexts, HaveOneNumberForIntegersThatDifferByAConstant) {
  const Shared code = shared_code({"x[0:1], 7, -1", "x[4:5], 9, 3", "x[8:9], 9, 7"});
  EXPECT_EQ(code.text, "x[numbers[0]:(numbers[0] + 1)], numbers[1], (numbers[0] - 1)");
  EXPECT_EQ(code.numbers, (std::vector<Numbers>{{0, 7}, {4, 9}, {8, 9}}));
}

TEST(SharedTexts, AreAsTheyWereWhereNothingDiffers) {
  const std::string text = "v2 = f(v1, 1e-05, -3, 1.5, 'w.7', 007, 1234567890123456789, x - 2)  # F{a=1}(f32[2x4])\n";
  const Shared code      = shared_code({text, text});
  EXPECT_EQ(code.text, text);
  EXPECT_EQ(code.numbers, (std::vector<Numbers>{{}, {}}));
}

TEST(SharedTexts, DifferInOtherThingsThanIntegers) {
  SharedTexts all;
  EXPECT_EQ(all.add(0, "f", integers_of_code("f(v1, 1e-05, 'w.1')")), 0U);
  EXPECT_EQ(all.add(1, "f", integers_of_code("f(v1, 1e-06, 'w.1')")), 1U);
  EXPECT_EQ(all.add(1, "f", integers_of_code("f(v1, 1e-05, 'w.2')")), 2U);
  EXPECT_EQ(all.add(1, "g", integers_of_code("f(v1, 1e-05, 'w.1')")), 3U);
}

// A list has one number for each entry, so it cannot say two things about one text.
TEST(SharedTexts, OfOneRankAreOneOnlyIfTheirIntegersAreEqual) {
  SharedTexts all;
  EXPECT_EQ(all.add(0, "f", integers_of_code("f(1)")), 0U);
  EXPECT_EQ(all.add(0, "f", integers_of_code("f(2)")), 1U);
  EXPECT_EQ(all.add(0, "f", integers_of_code("f(1)")), 0U);
  EXPECT_EQ(all.add(1, "f", integers_of_code("f(3)")), 0U);
  EXPECT_EQ(all.add(1, "f", integers_of_code("f(4)")), 1U);
}

TEST(SharedTexts, HaveNumbersInStrings) {
  const Shared names = shared_strings({R"(('w.1.r1', 2, '50%', 'a\x31.1'))", R"(('w.2.r1', 2, '50%', 'a\x31.2'))",
                                       R"(('w.2.r3', 2, '50%', 'a\x31.2'))"});
  EXPECT_EQ(names.text, R"(('w.%d.r%d' % (numbers[0], numbers[1]), 2, '50%', 'a\x31.%d' % numbers[0]))");
  EXPECT_EQ(names.numbers, (std::vector<Numbers>{{1, 1}, {2, 1}, {2, 3}}));
}

TEST(SharedTexts, KeepPercentSignsBesideNumbers) {
  EXPECT_EQ(shared_strings({"'50%.1'", "'50%.2'"}).text, "'50%%.%d' % numbers[0]");
}

}  // namespace
}  // namespace foreflow::lower::shared_texts_test
