// Convolutions, pools and Resize; the expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include "unit/ops/apply.h"

namespace foreflow::test::windows_test {
namespace {

using ir::Array;
using ir::Dims;
using Ints = std::vector<int64_t>;

Array floats(const Dims& dims, const std::vector<float>& values) { return Array::of_floats(dims, values); }

// 0, 1, 2, .. in the given shape.
Array counted(const Dims& dims) {
  std::vector<float> values(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return floats(dims, values);
}

Array ones(const Dims& dims) { return floats(dims, std::vector<float>(static_cast<size_t>(element_count(dims)), 1)); }

TEST(Conv, SumsOverTheWindowWithoutPadding) {
  // 3 x 3 of 0..8, windows of 2 x 2: 0+1+3+4 and so on.
  EXPECT_EQ(apply("Conv", {}, {counted({1, 1, 3, 3}), ones({1, 1, 2, 2})}), floats({1, 1, 2, 2}, {8, 12, 20, 24}));
}

TEST(Conv, PadsWithZerosAndAddsTheBias) {
  const ir::Attributes padded{{"pads", Ints{1, 1}}};
  EXPECT_EQ(apply("Conv", padded, {floats({1, 1, 3}, {1, 2, 3}), floats({1, 1, 3}, {1, 10, 100}), floats({1}, {1000})}),
            floats({1, 1, 3}, {1210, 1321, 1032}));
}

TEST(Conv, PutsTheOddPaddingWhereAutoPadSays) {
  const Array x = floats({1, 1, 4}, {1, 2, 3, 4}), w = ones({1, 1, 3});
  EXPECT_EQ(apply("Conv", {{"strides", Ints{2}}, {"auto_pad", "SAME_UPPER"}}, {x, w}), floats({1, 1, 2}, {6, 7}));
  EXPECT_EQ(apply("Conv", {{"strides", Ints{2}}, {"auto_pad", "SAME_LOWER"}}, {x, w}), floats({1, 1, 2}, {3, 9}));
}

TEST(Conv, KeepsGroupsApart) {
  // Each of two channels has its own weight.
  EXPECT_EQ(apply("Conv", {{"group", 2}}, {floats({1, 2, 2}, {1, 2, 3, 4}), floats({2, 1, 1}, {10, 100})}),
            floats({1, 2, 2}, {10, 20, 300, 400}));
}

TEST(Conv, SpreadsItsTapsByTheDilation) {
  EXPECT_EQ(apply("Conv", {{"dilations", Ints{2}}}, {counted({1, 1, 5}), floats({1, 1, 2}, {1, 10})}),
            floats({1, 1, 3}, {20, 31, 42}));
}

TEST(Conv, RefusesAWindowThatDoesNotFit) {
  try {
    apply("Conv", {}, {counted({1, 1, 2}), ones({1, 1, 3})});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "Conv: a window of 3 does not fit in 2 elements with padding 0 and 0; it should not be larger");
  }
}

TEST(ConvTranspose, AddsWhatOverlaps) {
  EXPECT_EQ(apply("ConvTranspose", {}, {floats({1, 1, 2}, {1, 2}), floats({1, 1, 3}, {1, 10, 100})}),
            floats({1, 1, 4}, {1, 12, 120, 200}));
  EXPECT_EQ(apply("ConvTranspose", {{"strides", Ints{2}}, {"pads", Ints{1, 0}}},
                  {floats({1, 1, 2}, {1, 2}), floats({1, 1, 3}, {1, 10, 100})}),
            floats({1, 1, 4}, {10, 102, 20, 200}));
}

TEST(MaxPool, LeavesPaddingOutAndNumbersTheElements) {
  const auto outputs = apply_all("MaxPool", {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}},
                                 {floats({1, 2, 3}, {-3, -1, -2, 4, 6, 5})}, 2);
  EXPECT_EQ(outputs[0], floats({1, 2, 2}, {-3, -1, 4, 6}));
  EXPECT_EQ(outputs[1], Array::of_ints({1, 2, 2}, {0, 1, 3, 4}));
}

TEST(MaxPool, RoundsTheNumberOfWindowsUpInCeilMode) {
  const ir::Attributes floor{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}};
  const ir::Attributes ceil{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", 1}};
  EXPECT_EQ(apply("MaxPool", floor, {counted({1, 1, 5})}), floats({1, 1, 2}, {1, 3}));
  EXPECT_EQ(apply("MaxPool", ceil, {counted({1, 1, 5})}), floats({1, 1, 3}, {1, 3, 4}));
}

TEST(AveragePool, CountsPaddingOnlyWhenAsked) {
  const ir::Attributes without{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 1}}};
  ir::Attributes with = without;
  with.set("count_include_pad", int64_t{1});
  EXPECT_EQ(apply("AveragePool", without, {floats({1, 1, 2}, {2, 4})}), floats({1, 1, 2}, {2, 4}));
  EXPECT_EQ(apply("AveragePool", with, {floats({1, 1, 2}, {2, 4})}), floats({1, 1, 2}, {1, 2}));
}

TEST(GlobalAveragePool, AveragesEachPlane) {
  EXPECT_EQ(apply("GlobalAveragePool", {}, {counted({1, 2, 2, 2})}), floats({1, 2, 1, 1}, {1.5, 5.5}));
}

TEST(Resize, RepeatsOrInterpolates) {
  const Array x = floats({1, 1, 2}, {0, 4});
  const std::vector<double> twice{1, 1, 2};
  EXPECT_EQ(
      apply("Resize", {{"scales", twice}, {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}},
            {x}),
      floats({1, 1, 4}, {0, 0, 4, 4}));
  EXPECT_EQ(apply("Resize", {{"scales", twice}, {"mode", "linear"}}, {x}), floats({1, 1, 4}, {0, 1, 3, 4}));
  EXPECT_EQ(
      apply("Resize",
            {{"sizes", Ints{1, 1, 3}}, {"mode", "linear"}, {"coordinate_transformation_mode", "align_corners"}}, {x}),
      floats({1, 1, 3}, {0, 2, 4}));
}

}  // namespace
}  // namespace foreflow::test::windows_test
