// Ops that choose elements by value, by position or by an equation; the expected numbers are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "unit/ops/apply.h"

namespace foreflow::test::choices_test {
namespace {

using ir::Array;
using ir::Attributes;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

Array list(const Ints& values) { return Array::of_ints({static_cast<int64_t>(values.size())}, values); }
Array floats(const std::vector<float>& values) {
  return Array::of_floats({static_cast<int64_t>(values.size())}, values);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ArgMin, TakesTheFirstOrTheLastOfEquals) {
  const Array x = list({2, 1, 1, 3});
  EXPECT_EQ(apply("ArgMin", {}, {x}), list({1}));
  EXPECT_EQ(apply("ArgMin", {{"select_last_index", 1}}, {x}), list({2}));
}

TEST(TopK, KeepsTheOrderOfEqualElements) {
  const auto top = apply_all("TopK", {}, {floats({1, 3, 2, 3}), list({3})}, 2);
  EXPECT_EQ(top[0], floats({3, 3, 2}));
  EXPECT_EQ(top[1], list({1, 3, 2}));
  EXPECT_THAT(error_of([] { apply_all("TopK", {}, {floats({1}), list({2})}, 2); }), HasSubstr("k is 2"));
}

TEST(Unique, ListsWhereEachElementStandsFirstAndHowOftenItComes) {
  const Array x     = list({5, 3, 5, 4});
  const auto sorted = apply_all("Unique", {}, {x}, 4);
  EXPECT_EQ(sorted, (std::vector{list({3, 4, 5}), list({1, 3, 0}), list({2, 0, 2, 1}), list({1, 1, 2})}));
  EXPECT_EQ(apply("Unique", {{"sorted", 0}}, {x}), list({5, 3, 4}));
}

TEST(Unique, ComparesSlicesAlongAnAxis) {
  const Array rows = Array::of_ints({3, 2}, {1, 2, 0, 9, 1, 2});
  EXPECT_EQ(apply("Unique", {{"axis", 0}}, {rows}), Array::of_ints({2, 2}, {0, 9, 1, 2}));
}

TEST(Compress, LeavesOutWhatIsBeyondTheCondition) {
  const Array condition = Array::of<bool>(ir::DType::boolean, {2}, std::array{false, true});
  EXPECT_EQ(apply("Compress", {}, {list({7, 8, 9}), condition}), list({8}));
}

TEST(GatherElements, RefusesAnIndexOutside) {
  EXPECT_THAT(error_of([] {
                apply("GatherElements", {}, {list({1, 2}), list({2})});
              }),
              HasSubstr("index 2 of a dimension of 2"));
  EXPECT_THAT(error_of([] {
                apply("GatherElements", {}, {list({1, 2}), Array::of_ints({1, 1}, {0})});
              }),
              HasSubstr("the rank of the data"));
}

TEST(ScatterElements, AddsUpUpdatesOfTheSameElement) {
  EXPECT_EQ(apply("ScatterElements", {{"reduction", "add"}}, {list({1, 2}), list({0, -2}), list({10, 20})}),
            list({31, 2}));
}

TEST(BitShift, DropsBitsBeyondTheType) {
  const auto bytes = [](std::vector<uint8_t> values) { return Array::of<uint8_t>(ir::DType::u8, {2}, values); };
  EXPECT_EQ(apply("BitShift", {{"direction", "LEFT"}}, {bytes({200, 1}), bytes({1, 9})}), bytes({144, 0}));
  EXPECT_THAT(error_of([] {
                apply("BitShift", {{"direction", "LEFT"}}, {list({1}), list({1})});
              }),
              HasSubstr("unsigned integers would be right"));
}

TEST(Einsum, SumsTheLabelsThatTheResultLacks) {
  const Array a = Array::of_ints({2, 2}, {1, 2, 3, 4}), b = Array::of_ints({2, 2}, {5, 6, 7, 8});
  const auto einsum = [](const char* equation, const std::vector<Array>& operands) {
    return apply("Einsum", {{"equation", std::string(equation)}}, operands);
  };
  EXPECT_EQ(einsum("ij,jk->ik", {a, b}), Array::of_ints({2, 2}, {19, 22, 43, 50}));
  EXPECT_EQ(einsum("ij,jk", {a, b}), einsum("ij,jk->ik", {a, b}));
  EXPECT_EQ(einsum("ij->ji", {a}), Array::of_ints({2, 2}, {1, 3, 2, 4}));
  EXPECT_EQ(einsum("ii", {a}), Array::scalar(int64_t{5}));
  EXPECT_EQ(einsum("...j->...", {a}), list({3, 7}));
}

TEST(Einsum, SaysWhatDoesNotFit) {
  const auto error = [](const char* equation) {
    return error_of([&] {
      apply("Einsum", {{"equation", std::string(equation)}}, {Array::of_ints({2, 3}, {1, 2, 3, 4, 5, 6})});
    });
  };
  EXPECT_THAT(error("i->i"), HasSubstr("1 labels for an operand of rank 2"));
  EXPECT_THAT(error("ij,j->i"), HasSubstr("2 terms for 1 operands"));
  EXPECT_THAT(error("ij->k"), HasSubstr("label 'k' of the result"));
  EXPECT_THAT(error("ii->i"), HasSubstr("label 'i' is 2 and 3"));
}

TEST(Det, ExchangesRowsWithTheirSign) {
  EXPECT_EQ(apply("Det", {}, {Array::of_floats({2, 2}, {0, 1, 2, 3})}), Array::scalar(-2.0F));
}

TEST(NegativeLogLikelihoodLoss, WeighsAndIgnoresClasses) {
  const Array x = Array::of_floats({3, 2}, {-1, -2, -3, -4, -5, -6}), labels = list({0, 1, 7}),
              weights = floats({2, 1});
  const Attributes ignoring{{"ignore_index", 7}};
  EXPECT_EQ(apply("NegativeLogLikelihoodLoss", ignoring, {x, labels, weights}), Array::scalar((2.0F * 1 + 1 * 4) / 3));
  EXPECT_EQ(apply("NegativeLogLikelihoodLoss", Attributes(ignoring).set("reduction", std::string("none")),
                  {x, labels, weights}),
            floats({2, 4, 0}));
}

}  // namespace
}  // namespace foreflow::test::choices_test
