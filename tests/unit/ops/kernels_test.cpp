// Kernels whose rules are easy to get wrong; the expected numbers are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "foreflow/ir/half.h"
#include "unit/ops/apply.h"

namespace foreflow::test::kernels_test {
namespace {

using ir::Array;
using ir::Dims;
using ir::DType;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

Array ints(const Dims& dims, const Ints& values) { return Array::of_ints(dims, values); }
Array list(const Ints& values) { return ints({static_cast<int64_t>(values.size())}, values); }

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Slice, WalksBackwardsToBeforeTheFirstElement) {
  const Array x = list({0, 1, 2, 3, 4});
  EXPECT_EQ(apply("Slice", {}, {x, list({-1}), list({-6}), list({0}), list({-2})}), list({4, 2, 0}));
  EXPECT_EQ(apply("Slice", {}, {x, list({3}), list({INT64_MIN}), list({0}), list({-1})}), list({3, 2, 1, 0}));
  EXPECT_EQ(apply("Slice", {}, {x, list({1}), list({3}), list({0}), list({-1})}), list({}));
}

TEST(Slice, ClampsLimitsBeyondTheDimension) {
  const Array x = list({0, 1, 2, 3, 4});
  EXPECT_EQ(apply("Slice", {}, {x, list({-100}), list({2})}), list({0, 1}));
  EXPECT_EQ(apply("Slice", {}, {x, list({3}), list({INT64_MAX})}), list({3, 4}));
  EXPECT_EQ(apply("Slice", {}, {x, list({100}), list({INT64_MIN}), list({0}), list({-3})}), list({4, 1}));
  EXPECT_EQ(apply("Slice", {}, {x, list({1}), list({5}), list({0}), list({INT64_MAX})}), list({1}));
}

TEST(Slice, TakesEachAxisByItsOwnLimits) {
  const Array x = ints({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(apply("Slice", {{"starts", Ints{-2, 1}}, {"ends", Ints{2, 2}}, {"axes", Ints{-1, 0}}}, {x}),
            ints({1, 1}, {4}));
}

TEST(Gather, CountsNegativeIndicesFromTheEnd) {
  const Array x = ints({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(apply("Gather", {{"axis", int64_t{1}}}, {x, list({-1, 0})}), ints({2, 2}, {2, 0, 5, 3}));
  EXPECT_EQ(apply("Gather", {}, {x, Array::scalar(int64_t{-2})}), list({0, 1, 2}));
}

TEST(Gather, RefusesAnIndexOutside) {
  EXPECT_THAT(error_of([] {
                apply("Gather", {}, {list({1, 2}), list({2})});
              }),
              HasSubstr("index 2 of a dimension of 2"));
  EXPECT_THAT(error_of([] { apply("Gather", {}, {list({1, 2}), list({-3})}); }), HasSubstr("index -3"));
}

TEST(GatherND, ChoosesSlicesByTuples) {
  const Array x = ints({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(apply("GatherND", {}, {x, ints({2, 2}, {0, 1, 1, 0})}), ints({2, 2}, {2, 3, 4, 5}));
  EXPECT_EQ(apply("GatherND", {{"batch_dims", int64_t{1}}}, {x, ints({2, 1}, {1, 0})}), ints({2, 2}, {2, 3, 4, 5}));
}

TEST(ScatterND, AddsUpUpdatesOfTheSameSlice) {
  const ir::Attributes add{{"reduction", std::string("add")}};
  EXPECT_EQ(apply("ScatterND", add, {list({1, 1, 1}), ints({2, 1}, {0, -3}), list({5, 7})}), list({13, 1, 1}));
  EXPECT_EQ(apply("ScatterND", {}, {list({1, 1, 1}), ints({2, 1}, {0, -1}), list({5, 7})}), list({5, 1, 7}));
}

TEST(Broadcasting, StretchesBothOperands) {
  EXPECT_EQ(apply("Add", {}, {ints({2, 1}, {10, 20}), list({1, 2, 3})}), ints({2, 3}, {11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(apply("Max", {}, {list({1, 5}), list({3, 3}), Array::scalar(int64_t{2})}), list({3, 5}));
}

TEST(Broadcasting, SaysWhichShapesDoNotFit) {
  EXPECT_THAT(error_of([] {
                apply("Add", {}, {list({1, 2}), list({1, 2, 3})});
              }),
              HasSubstr("(2,) and (3,) do not broadcast"));
  EXPECT_THAT(error_of([] { apply("Add", {}, {list({1}), Array::scalar(1.0F)}); }), HasSubstr("Int64 and Float32"));
}

TEST(Integers, DivideTowardsZeroAndWrapAround) {
  EXPECT_EQ(apply("Div", {}, {list({-7, 7, INT64_MIN}), list({2, -2, -1})}), list({-3, -3, INT64_MIN}));
  EXPECT_EQ(apply("Add", {}, {list({INT64_MAX}), list({1})}), list({INT64_MIN}));
  EXPECT_THAT(error_of([] { apply("Div", {}, {list({1}), list({0})}); }), HasSubstr("divided by 0"));
}

// 2^53 + 1 is no double.
TEST(Integers, Of64BitsStayExact) {
  constexpr uint64_t kMost = UINT64_MAX;
  const auto whole         = [](std::vector<uint64_t> values) { return Array::of<uint64_t>(DType::u64, {2}, values); };
  EXPECT_EQ(apply("Sub", {}, {whole({kMost, 0}), whole({1, 1})}), whole({kMost - 1, kMost}));
  EXPECT_EQ(apply("Div", {}, {whole({kMost, kMost}), whole({2, kMost})}), whole({kMost / 2, 1}));
  EXPECT_EQ(apply("Mod", {}, {whole({kMost, 7}), whole({10, kMost})}), whole({5, 7}));
  EXPECT_EQ(apply("Max", {}, {whole({kMost, 3}), whole({kMost - 1, 4})}), whole({kMost, 4}));
  EXPECT_EQ(apply("ArgMax", {}, {whole({kMost - 1, kMost})}), list({1}));
  const int64_t odd = (int64_t{1} << 53) + 1;
  EXPECT_EQ(apply("ArgMax", {}, {list({odd - 1, odd})}), list({1}));
  EXPECT_EQ(apply("Clip", {}, {list({0}), Array::scalar(odd)}), list({odd}));
}

TEST(Integers, OfFewBitsWrapAround) {
  const auto small = [](int16_t value) { return Array::of<int16_t>(DType::i16, {1}, std::vector{value}); };
  EXPECT_EQ(apply("Add", {}, {small(INT16_MAX), small(1)}), small(INT16_MIN));
}

TEST(Mod, TakesTheSignOfTheDivisorOrWithFmodOfTheDividend) {
  const Array x = list({-4, 7, 5, 4, -7, 8}), y = list({2, -3, 8, -2, 3, 5});
  EXPECT_EQ(apply("Mod", {}, {x, y}), list({0, -2, 5, 0, 2, 3}));
  EXPECT_EQ(apply("Mod", {{"fmod", int64_t{1}}}, {x, y}), list({0, 1, 5, 0, -1, 3}));
}

TEST(Round, SendsHalvesToTheEvenNumber) {
  EXPECT_EQ(apply("Round", {}, {Array::of_floats({4}, {0.5F, 1.5F, 2.5F, -2.5F})}),
            Array::of_floats({4}, {0, 2, 2, -2}));
}

TEST(Halves, AreComputedWideAndRoundedOnce) {
  const uint16_t one = ir::float_to_half(1.0F), step = ir::float_to_half(std::ldexp(1.0F, -11));
  const Array x = Array::of<uint16_t>(DType::f16, {1}, std::vector<uint16_t>{one}),
              y = Array::of<uint16_t>(DType::f16, {1}, std::vector<uint16_t>{step});
  EXPECT_EQ(apply("Add", {}, {x, y}), x);  // half of the last place: to even
}

TEST(Pad, FillsAndCuts) {
  const Array x = ints({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(apply("Pad", {{"pads", Ints{1, 0, 0, 1}}}, {x}), ints({3, 3}, {0, 0, 0, 1, 2, 0, 3, 4, 0}));
  EXPECT_EQ(apply("Pad", {{"pads", Ints{-1, 1, 0, 0}}, {"value", 9.0}}, {x}), ints({1, 3}, {9, 3, 4}));
}

TEST(Pad, RepeatsItsOwnElementsByMode) {
  const auto padded = [](const std::string& mode) {
    return apply("Pad", {{"pads", Ints{3, 2}}, {"mode", mode}}, {ints({3}, {1, 2, 3})});
  };
  EXPECT_EQ(padded("edge"), ints({8}, {1, 1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(padded("reflect"), ints({8}, {2, 3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(padded("wrap"), ints({8}, {1, 2, 3, 1, 2, 3, 1, 2}));
}

TEST(Transpose, PutsDimensionPermOfIAtI) {
  const Array x = ints({1, 2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(apply("Transpose", {{"perm", Ints{2, 0, 1}}}, {x}), ints({3, 1, 2}, {0, 3, 1, 4, 2, 5}));
}

TEST(Split, GivesTheLastPartWhatIsLeft) {
  const auto parts = apply_all("Split", {{"num_outputs", int64_t{2}}}, {list({1, 2, 3})}, 2);
  EXPECT_EQ(parts[0], list({1, 2}));
  EXPECT_EQ(parts[1], list({3}));
}

TEST(OneHot, InsertsTheNewDimensionAtItsAxis) {
  const Array depth = Array::scalar(int64_t{2}), values = list({0, 1});
  EXPECT_EQ(apply("OneHot", {}, {list({0, -1, 2}), depth, values}), ints({3, 2}, {1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(apply("OneHot", {{"axis", int64_t{0}}}, {list({0, 1, 1}), depth, values}),
            ints({2, 3}, {1, 0, 0, 0, 1, 1}));
}

TEST(Trilu, KeepsOneSideOfADiagonal) {
  const Array x = ints({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(apply("Trilu", {}, {x}), ints({2, 3}, {1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(apply("Trilu", {{"upper", int64_t{0}}}, {x, Array::scalar(int64_t{-1})}), ints({2, 3}, {0, 0, 0, 4, 0, 0}));
}

TEST(CumSum, RunsBothWaysWithAndWithoutItself) {
  const ir::Attributes back{{"axis", int64_t{0}}, {"reverse", int64_t{1}}, {"exclusive", int64_t{1}}};
  EXPECT_EQ(apply("CumSum", {{"axis", int64_t{0}}}, {list({1, 2, 3})}), list({1, 3, 6}));
  EXPECT_EQ(apply("CumSum", back, {list({1, 2, 3})}), list({5, 3, 0}));
}

TEST(NonZero, ListsCoordinatesByDimension) {
  EXPECT_EQ(apply("NonZero", {}, {ints({2, 2}, {1, 0, 1, 1})}), ints({2, 3}, {0, 1, 1, 0, 0, 1}));
}

TEST(Reshape, SaysThatAShapeDoesNotHoldTheElements) {
  EXPECT_THAT(error_of([] {
                apply("Reshape", {{"shape", Ints{4, -1}}}, {list({1, 2, 3})});
              }),
              HasSubstr("does not hold the 3 elements"));
}

TEST(Cast, TruncatesAndWrapsAround) {
  const ir::Attributes to_int{{"to", std::string("Int32")}}, to_byte{{"to", std::string("u8")}};
  EXPECT_EQ(apply("Cast", to_int, {Array::of_floats({3}, {-1.9F, 1.9F, NAN})}).to_ints(), (Ints{-1, 1, 0}));
  EXPECT_EQ(apply("Cast", to_byte, {list({257, -1})}).to_ints(), (Ints{1, 255}));
  const ir::Attributes to_whole{{"to", std::string("UInt64")}};
  EXPECT_EQ(apply("Cast", to_whole, {Array::of_floats({3}, {-1, 0x1p63F, 0x1p70F})}),
            Array::of<uint64_t>(DType::u64, {3}, std::vector<uint64_t>{UINT64_MAX, uint64_t{1} << 63, UINT64_MAX}));
}

TEST(ReduceMean, AcceptsAxesEitherWay) {
  const Array x = Array::of_floats({2, 2}, {1, 2, 3, 6});
  EXPECT_EQ(apply("ReduceMean", {}, {x, list({-1})}), Array::of_floats({2, 1}, {1.5F, 4.5F}));
  EXPECT_EQ(apply("ReduceMean", {{"axes", Ints{0}}, {"keepdims", int64_t{0}}}, {x}), Array::of_floats({2}, {2, 4}));
  EXPECT_EQ(apply("ReduceMean", {{"keepdims", int64_t{0}}}, {x}), Array::of_floats({}, {3}));
}

}  // namespace
}  // namespace foreflow::test::kernels_test
