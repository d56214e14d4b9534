// Fused ops of com.microsoft and their gradients against the ops that they are made of.
#include <gtest/gtest.h>

#include <cmath>

#include "property/op_samples.h"
#include "unit/ops/apply.h"

namespace foreflow::test::fused_ops_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Dims;
using ir::DType;
using ir::Type;
using Ints = std::vector<int64_t>;

Array floats(const Dims& dims, const std::vector<float>& values) { return Array::of_floats(dims, values); }
Array list(const Ints& values) { return Array::of_ints({static_cast<int64_t>(values.size())}, values); }

class Fused : public testing::Test {
 protected:
  Array random(const Dims& dims) { return random_array(Type::tensor(DType::f32, dims), rng_); }

 private:
  std::mt19937_64 rng_{11};
};

TEST_F(Fused, GradientOfGeluWithBiasIsThatOfGeluAtTheSum) {
  const Array dy = random({3, 4}), x = random({3, 4}), bias = random({4}), at = apply("Add", {}, {x, bias});
  EXPECT_TRUE(close(apply("BiasGeluGrad_dX", {}, {dy, x, bias}), apply("GeluGrad", {}, {at, dy}), 1e-6));
  EXPECT_TRUE(close(apply("BiasFastGeluGrad_dX", {}, {dy, x, bias}),
                    apply("GeluGrad", {{"approximate", std::string("tanh")}}, {at, dy}), 1e-6));
}

TEST_F(Fused, SoftmaxOfABiasedTensorRepeatsTheBiasInsideOrOutside) {
  const Array x = random({4, 2, 3}), inner = random({1, 2, 3}), outer = random({2, 1, 3});
  const Attributes rows{{"axis", int64_t{2}}}, repeats{{"axis", int64_t{2}}, {"is_inner_broadcast", int64_t{0}}};
  EXPECT_TRUE(
      close(apply("BiasSoftmax", rows, {x, inner}), apply("Softmax", {}, {apply("Add", {}, {x, inner})}), 1e-6));
  const Array twice = apply("Gather", {{"axis", int64_t{0}}}, {outer, list({0, 0, 1, 1})});
  const Array full  = apply("Expand", {}, {twice, list({4, 2, 3})});
  EXPECT_TRUE(close(apply("BiasSoftmax", repeats, {x, apply("Expand", {}, {outer, list({2, 2, 3})})}),
                    apply("Softmax", {}, {apply("Add", {}, {x, full})}), 1e-6));
}

TEST_F(Fused, GemmActivatesItsSum) {
  const Array a = random({2, 3}), b = random({3, 4}), c = random({4});
  EXPECT_EQ(apply("FusedGemm", {{"activation", std::string("Relu")}}, {a, b, c}),
            apply("Relu", {}, {apply("Gemm", {}, {a, b, c})}));
  EXPECT_THROW(apply("FusedGemm", {{"activation", std::string("Send")}}, {a, b, c}), Error);
}

TEST_F(Fused, NormalisationBySquaresIsThatOfTheSumWithWhatIsSkipped) {
  const Array x = random({2, 3, 4}), skip = random({2, 3, 4}), scale = random({4});
  const auto results = apply_all("SkipSimplifiedLayerNormalization", {{"epsilon", 1e-3}}, {x, skip, scale}, 4);
  const Array sum    = apply("Add", {}, {x, skip});
  EXPECT_TRUE(close(results[0], apply("SimplifiedLayerNormalization", {{"epsilon", 1e-3}}, {sum, scale}), 1e-6));
  EXPECT_TRUE(close(results[3], sum, 1e-6));
  const Array flat = floats({1, 2}, {3, 4});
  EXPECT_TRUE(close(apply("SimplifiedLayerNormalization", {{"epsilon", 0.0}}, {flat, floats({2}, {1, 1})}),
                    floats({1, 2}, {3 / std::sqrt(12.5F), 4 / std::sqrt(12.5F)}), 1e-6));
}

TEST_F(Fused, GradientOfASliceIsZeroWhereNothingWasTaken) {
  const Array dy = floats({2}, {1, 2});
  EXPECT_EQ(apply("SliceGrad", {}, {dy, list({5}), list({4}), list({0}), list({0}), list({-2})}),
            floats({5}, {0, 0, 2, 0, 1}));
  EXPECT_THROW(apply("SliceGrad", {}, {dy, list({5}), list({0}), list({5})}), Error);
}

TEST_F(Fused, AxesOfABroadcastAreThoseThatAnOperandLacksOrHasOneOf) {
  const auto axes = [](const Ints& a, const Ints& b) {
    return apply_all("BroadcastGradientArgs", {}, {list(a), list(b)}, 2);
  };
  EXPECT_EQ(axes({2, 1, 4}, {3, 4}), (std::vector{list({1}), list({0})}));
  EXPECT_EQ(axes({4}, {2, 1, 4}), (std::vector{list({1, 0}), list({})}));
  EXPECT_EQ(axes({1, 3}, {1, 3}), (std::vector{list({}), list({})}));
  EXPECT_THROW(axes({2}, {3}), Error);
}

TEST_F(Fused, EmbeddingGradientLeavesThePaddingRowAlone) {
  const Array dy = floats({3, 1}, {1, 2, 4}), indices = list({0, 2, 2});
  EXPECT_EQ(apply("EmbeddingGrad", {}, {dy, indices, Array::scalar(int64_t{3}), Array::scalar(int64_t{-1})}),
            floats({3, 1}, {1, 0, 6}));
  EXPECT_EQ(apply("EmbeddingGrad", {}, {dy, indices, Array::scalar(int64_t{3}), Array::scalar(int64_t{0})}),
            floats({3, 1}, {0, 0, 6}));
  const Array by_frequency = Array::of<bool>(DType::boolean, {}, std::array{true});
  EXPECT_EQ(
      apply("EmbeddingGrad", {}, {dy, indices, Array::scalar(int64_t{3}), Array::scalar(int64_t{-1}), by_frequency}),
      floats({3, 1}, {1, 0, 3}));
}

TEST_F(Fused, GradientOfACrossEntropyScalesWithWhatArrives) {
  const Array logits = random({4, 3}), labels = list({0, 2, 1, 2});
  const Array log_prob = apply_all("SoftmaxCrossEntropyLossInternal", {}, {logits, labels}, 2)[1];
  const Array expected =
      apply("Mul", {}, {apply("SoftmaxCrossEntropyLossGrad", {}, {logits, labels}), Array::scalar(3.0F)});
  EXPECT_TRUE(
      close(apply("SoftmaxCrossEntropyLossInternalGrad", {}, {Array::scalar(3.0F), log_prob, labels}), expected, 1e-6));
}

TEST_F(Fused, CrossEntropyOfProbabilitiesIsThatOfLabelsWhereOneIsCertain) {
  const Array logits = random({2, 3}), certain = floats({2, 3}, {0, 1, 0, 1, 0, 0}), labels = list({1, 0});
  const auto results = apply_all("SoftmaxCrossEntropy", {}, {logits, certain}, 2);
  EXPECT_TRUE(close(results[0], apply("SoftmaxCrossEntropyLoss", {}, {logits, labels}), 1e-6));
  EXPECT_TRUE(close(apply("SoftmaxCrossEntropyGrad", {}, {Array::scalar(1.0F), results[1], certain}),
                    apply("SoftmaxCrossEntropyLossGrad", {}, {logits, labels}), 1e-6));
}

TEST_F(Fused, ConcatOfTrainingSaysHowLongItsPartsAre) {
  const auto results = apply_all("ConcatTraining", {{"axis", int64_t{1}}}, {random({2, 3}), random({2, 1})}, 2);
  EXPECT_EQ(results[0].dims(), (Dims{2, 4}));
  EXPECT_EQ(results[1], list({3, 1}));
}

TEST_F(Fused, GradientsArriveAsOnesFromOutside) {
  EXPECT_EQ(apply("YieldOp", {}, {floats({2}, {5, 7})}), floats({2}, {1, 1}));
}

TEST_F(Fused, GradientOfDropoutPassesWhatTheMaskKept) {
  const Array mask = Array::of<bool>(DType::boolean, {2}, std::array{true, false});
  EXPECT_EQ(apply("DropoutGrad", {}, {floats({2}, {3, 5}), mask, Array::scalar(0.25F)}), floats({2}, {4, 0}));
}

TEST_F(Fused, GradientsBySquashedResultsAreTheSlopesThere) {
  const Array dy = floats({1}, {2}), y = floats({1}, {0.25F});
  EXPECT_EQ(apply("SigmoidGrad", {}, {dy, y}), floats({1}, {0.375F}));
  EXPECT_EQ(apply("TanhGrad", {}, {dy, y}), floats({1}, {1.875F}));
}

}  // namespace
}  // namespace foreflow::test::fused_ops_test
