// Recurrent layers, pools, normalisations and pictures where ONNX's own tests say nothing; numbers worked out by hand.
#include <gtest/gtest.h>

#include <limits>

#include "foreflow/base/nth.h"
#include "unit/ops/apply.h"

namespace foreflow::test::networks_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Dims;
using Ints  = std::vector<int64_t>;
using Reals = std::vector<double>;

Array floats(const Dims& dims, const std::vector<float>& values) { return Array::of_floats(dims, values); }
Array ints(const Ints& values) { return Array::of_ints({static_cast<int64_t>(values.size())}, values); }

// 0, 1, 2, .. in the given shape.
Array counted(const Dims& dims) {
  std::vector<float> values(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return floats(dims, values);
}

// h = x + h, for two equal sequences 1, 2, 4 of which the first ends after two steps.
std::vector<Array> sums(const std::string& direction) {
  const Array one = floats({1, 1, 1}, {1});
  return apply_all("RNN", {{"activations", std::vector<std::string>{"Affine"}}, {"direction", direction}},
                   {floats({3, 2, 1}, {1, 1, 2, 2, 4, 4}), one, one, floats({1, 2}, {0, 0}), ints({2, 3})}, 2);
}

TEST(Rnn, EndsEverySequenceAtItsLength) {
  const auto forward = sums("forward"), reverse = sums("reverse");
  EXPECT_EQ(forward[0], floats({3, 1, 2, 1}, {1, 1, 3, 3, 0, 7}));
  EXPECT_EQ(forward[1], floats({1, 2, 1}, {3, 7}));
  EXPECT_EQ(reverse[0], floats({3, 1, 2, 1}, {3, 7, 2, 6, 0, 4}));
  EXPECT_EQ(reverse[1], floats({1, 2, 1}, {3, 7}));
}

Array bytes(const Dims& dims, const std::vector<uint8_t>& values) {
  return Array::of<uint8_t>(ir::DType::u8, dims, values);
}

// x and the states have one range in all sequences: numbers of onnxruntime 1.32, whose second sequence ends early.
TEST(DynamicQuantizeLSTM, RoundsXAndTheStatesByTheirRanges) {
  const std::vector<Array> y = apply_all(
      "DynamicQuantizeLSTM", {{"direction", "bidirectional"}, {"hidden_size", 2}},
      {floats({3, 2, 2},
              {0.875F, 1.75F, 1.5F, 0.03125F, 1.75F, 1.875F, 1.875F, -1.6875F, -0.1875F, 0.40625F, -0.875F, -0.5F}),
       bytes({2, 2, 8}, {159, 204, 148, 44, 172, 222, 56,  138, 86,  230, 15,  121, 228, 109, 35,  201,
                         245, 250, 237, 94, 186, 247, 146, 236, 150, 45,  118, 155, 77,  179, 104, 240}),
       bytes({2, 2, 8}, {52, 169, 23,  34,  132, 126, 127, 125, 218, 127, 92,  244, 225, 89,  51,  57,
                         42, 133, 146, 163, 229, 239, 136, 148, 20,  68,  254, 237, 6,   125, 126, 172}),
       floats({2, 16}, {-0.390625F, -0.03125F, -0.140625F, -0.296875F, 0.296875F, 0.1875F,    -0.328125F, 0.265625F,
                        0.03125F,   -0.3125F,  0.15625F,   -0.046875F, -0.03125F, -0.140625F, 0.46875F,   -0.34375F,
                        0.484375F,  -0.28125F, 0.296875F,  0.453125F,  -0.375F,   0.375F,     -0.46875F,  -0.125F,
                        0.03125F,   0.234375F, -0.34375F,  -0.46875F,  -0.21875F, 0.40625F,   -0.171875F, 0.03125F}),
       ints({3, 2}), floats({2, 2, 2}, std::vector<float>(8)), floats({2, 2, 2}, std::vector<float>(8)),
       floats({2, 6}, std::vector<float>(12)), floats({2}, {0.0078125F, 0.015625F}), bytes({2}, {128, 100}),
       floats({2}, {0.015625F, 0.0078125F}), bytes({2}, {120, 128})},
      3);
  const Reals states{-0.05871118, 0.1474667, -0.1658051, 0.007295113, 0.2302953,  0.8126129,  0.6724525, 0.4125869,
                     -0.1265939,  0.1836502, 0.06670902, -0.04639235, 0.3271511,  0.6277832,  0.4633419, 0.02944051,
                     -0.2368608,  0.2500246, 0,          0,           -0.1531253, 0.06879158, 0,         0};
  const Reals cells{-0.6094682, 0.4711536, 0.07545153, -0.2101812, 0.2467397, 1.587168, 0.8641764, 1.1479};
  ASSERT_EQ(y[0].dims(), (Dims{3, 2, 2, 2}));
  for (int64_t i = 0; i < y[0].size(); ++i) EXPECT_NEAR(y[0].at(i), nth(states, i), 1e-6) << i;
  for (int64_t i = 0; i < y[2].size(); ++i) EXPECT_NEAR(y[2].at(i), nth(cells, i), 1e-6) << i;
}

// As onnxruntime 1.32 has it: exports calibrated with a mask of -inf have the scale inf, and -inf / inf is no number.
TEST(QuantizeLinear, MakesTheLeastNumberOfWhatIsNone) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Array x             = floats({3}, {-kInfinity, 0, 1}), zero(ir::DType::i8, {});
  EXPECT_EQ(apply("QuantizeLinear", {}, {x, Array::scalar(kInfinity), zero}).to_ints(), (Ints{-128, 0, 0}));
}

TEST(Resize, SmoothsASmallerPictureWhereAntialiasAsksForIt) {
  Array x = floats({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  // Weights 5/8, 3/8 and, at the other end, 3/8, 5/8.
  const Array y = apply("Resize", {{"mode", "linear"}, {"antialias", 1}, {"scales", Reals{0.6, 0.6}}}, {x});
  const std::vector<double> expected{2.875, 4.5, 9.375, 11};
  ASSERT_EQ(y.dims(), (Dims{2, 2}));
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(y.at(i), nth(expected, i), 1e-6);
}

TEST(Resize, KeepsTheAspectWhereAPolicyAsksForIt) {
  const auto dims = [](const std::string& policy) {
    return apply("Resize", {{"keep_aspect_ratio_policy", policy}, {"sizes", Ints{6, 8}}}, {counted({2, 4})}).dims();
  };
  EXPECT_EQ(dims("stretch"), (Dims{6, 8}));
  EXPECT_EQ(dims("not_larger"), (Dims{4, 8}));
  EXPECT_EQ(dims("not_smaller"), (Dims{6, 12}));
}

TEST(LpPool, IsTheNormUnderTheWindow) {
  EXPECT_EQ(apply("LpPool", {{"kernel_shape", Ints{2}}}, {floats({1, 1, 3}, {-3, 4, 0})}), floats({1, 1, 2}, {5, 4}));
  EXPECT_EQ(apply("GlobalLpPool", {{"p", 1}}, {floats({1, 1, 3}, {-3, 4, 1})}), floats({1, 1, 1}, {8}));
}

TEST(GroupNormalization, NormalisesRunsOfChannels) {
  const Array x = floats({1, 4}, {1, 3, 10, 30}), scale = floats({2}, {1, 2}), bias = floats({2}, {0, 5});
  EXPECT_EQ(apply("GroupNormalization", {{"num_groups", 2}, {"epsilon", 0.0}}, {x, scale, bias}),
            floats({1, 4}, {-1, 1, 3, 7}));
  const Array scales = floats({4}, {1, 2, 3, 4}), biases = floats({4}, {0, 0, 5, 5});  // for each channel
  EXPECT_EQ(apply("GroupNormalization", {{"num_groups", 2}, {"epsilon", 0.0}}, {x, scales, biases}),
            floats({1, 4}, {-1, 2, 2, 9}));
}

TEST(TensorScatter, WritesRowsOfEachSampleAtItsPlace) {
  const Array cache = floats({2, 3, 1}, {1, 2, 3, 4, 5, 6}), rows = floats({2, 2, 1}, {7, 8, 9, 10});
  EXPECT_EQ(apply("TensorScatter", {}, {cache, rows}), floats({2, 3, 1}, {7, 8, 3, 9, 10, 6}));
  EXPECT_EQ(apply("TensorScatter", {}, {cache, rows, ints({1, 0})}), floats({2, 3, 1}, {1, 7, 8, 9, 10, 6}));
  EXPECT_EQ(apply("TensorScatter", {{"mode", "circular"}}, {cache, rows, ints({2, 4})}),
            floats({2, 3, 1}, {8, 2, 7, 4, 9, 10}));
  EXPECT_THROW(apply("TensorScatter", {}, {cache, rows, ints({2, 0})}), Error);
  EXPECT_THROW(apply("TensorScatter", {{"axis", 0}}, {cache, rows}), Error);
}

TEST(Col2Im, PutsBlocksBackAndAddsWhatOverlaps) {
  // Blocks of two at 0, 1, 2 of a row of four.
  EXPECT_EQ(apply("Col2Im", {}, {floats({1, 2, 3}, {1, 2, 3, 10, 20, 30}), ints({4}), ints({2})}),
            floats({1, 1, 4}, {1, 12, 23, 30}));
}

TEST(CenterCropPad, LeavesTheOddElementBehind) {
  EXPECT_EQ(apply("CenterCropPad", {}, {counted({5}), ints({2})}), floats({2}, {1, 2}));
  EXPECT_EQ(apply("CenterCropPad", {}, {floats({2}, {1, 2}), ints({5})}), floats({5}, {0, 1, 2, 0, 0}));
}

TEST(MaxRoiPool, TakesTheLargestInEachBin) {
  EXPECT_EQ(
      apply("MaxRoiPool", {{"pooled_shape", Ints{2, 2}}}, {counted({1, 1, 4, 4}), floats({1, 5}, {0, 0, 0, 3, 3})}),
      floats({1, 1, 2, 2}, {5, 7, 13, 15}));
}

TEST(QuantizeLinear, RoundsHalvesToEvenAndSaturates) {
  const Array y = apply("QuantizeLinear", {}, {floats({5}, {1, 3, 5, 1000, -7}), Array::scalar(2.0F)});
  EXPECT_EQ(y.to_ints(), (Ints{0, 2, 2, 255, 0}));
}

// The message names what is wrong; numbers beyond the operands are never read.
std::string refused(const std::string& op, const ir::Attributes& attributes, const std::vector<Array>& operands) {
  try {
    apply(op, attributes, operands);
  } catch (const Error& error) {
    return error.problem();
  }
  return "no error";
}

TEST(NetworkOps, RefuseOperandsThatDoNotFit) {
  const Array picture = counted({2, 1, 3, 3}), region = floats({1, 4}, {0, 0, 2, 2});
  EXPECT_EQ(
      refused("GridSample", {}, {picture, counted({1, 1, 1, 2})}),
      "x is (2, 1, 3, 3) and the grid (1, 1, 1, 2); (N, C, H, W) and (N, H', W', 2), or (N, C, D, H, W) and (N, D', "
      "H', W', 3) would be right");
  EXPECT_EQ(refused("RoiAlign", {}, {picture, region, ints({5})}), "region 0 is in picture 5 of 2");
  EXPECT_EQ(refused("RoiAlign", {}, {picture, region, ints({0, 1})}),
            "has 2 batch indices; one for each region would be right");
  EXPECT_EQ(refused("RandomNormal", {{"shape", Ints{2, -1}}}, {}), "shape has the dimension -1; none may be negative");
  EXPECT_EQ(refused("Col2Im", {}, {counted({1, 2, 3}), ints({4}), ints({0})}),
            "image_shape and block_shape should be positive and equally long");
  EXPECT_EQ(refused("Resize", {{"sizes", Ints{-2}}}, {counted({3})}),
            "sizes should not be negative, and scales positive");
  EXPECT_EQ(refused("LRNGrad", {{"size", 3}}, {counted({1, 3}), counted({1, 2})}),
            "the gradient is (1, 2); it should have the shape of the result, (1, 3)");
  EXPECT_EQ(refused("RNN", {}, {counted({2, 1, 3}), counted({1, 2, 4}), counted({1, 2, 2})}),
            "operand 1 is (1, 2, 4); it should be (1, 2, 3)");
  EXPECT_EQ(refused("RNN", {{"activations", std::vector<std::string>{"Tan"}}},
                    {counted({2, 1, 3}), counted({1, 2, 3}), counted({1, 2, 2})}),
            "activation \"Tan\"; one of Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, "
            "HardSigmoid, Elu, Softsign, Softplus would be right");
  EXPECT_EQ(refused("DFT", {}, {counted({2, 3})}), "x is (2, 3); its last dimension should be 1 (real) or 2 (complex)");
}

TEST(ConvWeightGrad, NeedsOneGroupOrMore) {
  const Attributes none{{"kernel_shape", Ints{1}}, {"group", 0}};
  EXPECT_THROW(apply("ConvWeightGrad", none, {counted({1, 1, 1}), counted({1, 1, 1})}), Error);
}

}  // namespace
}  // namespace foreflow::test::networks_test
