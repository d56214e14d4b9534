// Matrix products, normalisations, losses and optimizers; the expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "foreflow/ir/unchosen.h"
#include "unit/ops/apply.h"

namespace foreflow::test::products_test {
namespace {

using ir::Array;
using ir::Dims;
using Floats = std::vector<float>;

Array floats(const Dims& dims, const Floats& values) { return Array::of_floats(dims, values); }

void expect_near(const Array& actual, const Dims& dims, const std::vector<double>& expected) {
  ASSERT_EQ(actual.dims(), dims);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual.at(static_cast<int64_t>(i)), expected[i], 1e-5) << "element " << i;
}

ir::Work work_of(const std::string& op, const ir::Attributes& attributes, const std::vector<ir::Type>& inputs) {
  const ir::OpDef& def = ops::table().get(op, "test");
  const std::vector<const Array*> known(inputs.size());
  const ir::OpCall call{def, attributes, inputs, known, 1};
  return def.work(call, def.infer(call));
}

std::string factors_of(const std::string& op, const ir::Attributes& attributes, const std::vector<Dims>& inputs) {
  const ir::OpDef& def = ops::table().get(op, "test");
  std::vector<ir::Type> types;
  for (const Dims& dims : inputs) types.push_back(ir::Type::tensor(ir::DType::f32, dims));
  const std::vector<const Array*> known(inputs.size());
  return def.factors({def, attributes, types, known, 1}).text;
}

TEST(MatMul, MultipliesRowsByColumns) {
  EXPECT_EQ(apply("MatMul", {}, {floats({2, 2}, {1, 2, 3, 4}), floats({2, 1}, {5, 6})}), floats({2, 1}, {17, 39}));
}

TEST(MatMul, BroadcastsBatchesOnBothSides) {
  // Batches (2, 1) and (2) give (2, 2): every row vector meets every column vector.
  const Array x = floats({2, 1, 1, 2}, {1, 2, 3, 4}), w = floats({2, 2, 1}, {1, 1, 10, 100});
  EXPECT_EQ(apply("MatMul", {}, {x, w}), floats({2, 2, 1, 1}, {3, 210, 7, 430}));
}

TEST(MatMul, TakesVectorsAsARowOnTheLeftAndAColumnOnTheRight) {
  const Array v = floats({2}, {1, 2}), w = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(apply("MatMul", {}, {v, w}), floats({2}, {7, 10}));
  EXPECT_EQ(apply("MatMul", {}, {w, v}), floats({2}, {5, 11}));
  EXPECT_EQ(apply("MatMul", {}, {v, v}), floats({}, {5}));
}

// Experts of 3 x 5 matrices, of which a token chooses each with a probability of 1 / 4.
TEST(MatMul, ReadsTheExpertsThatTokensChoose) {
  const ir::Attributes quarter{{std::string(ir::kUnchosen), 0.75}};
  const auto read = [&](const ir::Attributes& attributes, int64_t experts, int64_t tokens) {
    const std::vector<ir::Type> inputs{ir::Type::tensor(ir::DType::f32, {experts, tokens, 3}),
                                       ir::Type::tensor(ir::DType::f32, {experts, 3, 5})};
    return (work_of("MatMul", attributes, inputs).read - ir::bytes_of(inputs[0])).value();
  };
  EXPECT_DOUBLE_EQ(read({}, 8, 1), 8 * 60);
  EXPECT_DOUBLE_EQ(read(quarter, 8, 1), 2 * 60);
  EXPECT_DOUBLE_EQ(read(quarter, 8, 2), 8 * 60 * (1 - 0.75 * 0.75));
  EXPECT_DOUBLE_EQ(read(quarter, 4, 2), 4 * 60 * (1 - 0.75 * 0.75)) << "half of the experts on each of two devices";
  EXPECT_EQ(read(quarter, 8, 1024), 8 * 60);
}

TEST(MatMul, RefusesSharesOfExpertsOutsideOfOne) {
  const std::vector<ir::Type> inputs{ir::Type::tensor(ir::DType::f32, {8, 1, 3}),
                                     ir::Type::tensor(ir::DType::f32, {8, 3, 5})};
  const auto work = [&](ir::Attribute share) {
    return work_of("MatMul", {{std::string(ir::kUnchosen), std::move(share)}}, inputs);
  };
  EXPECT_THROW(work(int64_t{7}), ir::OpError);
  EXPECT_THROW(work(-0.25), ir::OpError);
  EXPECT_THROW(work(std::nan("")), ir::OpError);
  EXPECT_NO_THROW(work(int64_t{0}));
  EXPECT_NO_THROW(work(1.0));
}

TEST(MatMul, SaysWhichInnerDimensionsDiffer) {
  try {
    apply("MatMul", {}, {floats({1, 2}, {1, 2}), floats({3, 1}, {1, 2, 3})});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "MatMul: cannot multiply (1, 2) by (3, 1); the inner dimensions 2 and 3 should be equal");
  }
}

TEST(MatMul, CountsTwoOperationsForEachProduct) {
  const ir::Work work =
      work_of("MatMul", {},
              {ir::Type::tensor(ir::DType::f16, {8, 12, 64, 32}), ir::Type::tensor(ir::DType::f16, {8, 12, 32, 16})});
  EXPECT_EQ(work.flops.value(), 2.0 * 8 * 12 * 64 * 32 * 16);
  EXPECT_EQ(work.read.value(), 2.0 * 8 * 12 * (64 * 32 + 32 * 16));
  EXPECT_EQ(work.written.value(), 2.0 * 8 * 12 * 64 * 16);
  EXPECT_EQ(work.kernels, 1);
}

TEST(MatMul, NamesItsFactors) {
  EXPECT_EQ(factors_of("MatMul", {}, {{4, 6}, {6, 2}}), "ik,kj->ij");
  EXPECT_EQ(factors_of("MatMul", {}, {{8, 4, 6}, {6, 2}}), "bik,kj->bij");
  EXPECT_EQ(factors_of("MatMul", {}, {{8, 3, 4, 6}, {1, 6, 2}}), "bcik,.kj->bcij");
  EXPECT_EQ(factors_of("MatMul", {}, {{6}, {6, 2}}), "k,kj->j");
  EXPECT_EQ(factors_of("MatMulGrad", {}, {{8, 4, 6}, {6, 2}, {8, 4, 2}}), "bik,kj,bij->bik,kj");
}

TEST(Gemm, ScalesTheProductAndTheAddend) {
  const Array a = floats({1, 2}, {1, 2}), b = floats({2, 1}, {3, 4}), c = floats({1}, {10});
  EXPECT_EQ(apply("Gemm", {{"alpha", 2.0}, {"beta", 0.5}}, {a, b, c}), floats({1, 1}, {27}));
}

TEST(Gemm, TransposesItsOperands) {
  const Array a = floats({2, 1}, {1, 2}), b = floats({1, 2}, {3, 4});
  EXPECT_EQ(apply("Gemm", {{"transA", 1}, {"transB", 1}}, {a, b}), floats({1, 1}, {11}));
}

TEST(Gemm, AddsItsThirdOperandOnceWhenTheInnerDimensionIsSplit) {
  EXPECT_EQ(factors_of("Gemm", {{"transB", 1}}, {{4, 6}, {2, 6}}), "ik,jk->ij");
  EXPECT_EQ(factors_of("Gemm", {{"transA", 1}}, {{6, 4}, {6, 2}, {2}}), "ki,kj,+j->ij");
}

TEST(Softmax, FlattensAllAxesFromTheGivenOneOn) {
  const double e = std::exp(1.0);
  const Array x  = floats({1, 2, 2}, {0, 1, 0, 1});
  expect_near(apply("Softmax", {}, {x}), {1, 2, 2}, {1 / (1 + e), e / (1 + e), 1 / (1 + e), e / (1 + e)});
  expect_near(apply("Softmax", {{"axis", 1}, {"flatten", 1}}, {x}), {1, 2, 2},
              {0.5 / (1 + e), 0.5 * e / (1 + e), 0.5 / (1 + e), 0.5 * e / (1 + e)});
}

TEST(Softmax, DoesNotOverflow) { expect_near(apply("Softmax", {}, {floats({2}, {1000, 1000})}), {2}, {0.5, 0.5}); }

TEST(LayerNormalization, GivesMeanAndInverseDeviationOfEachRow) {
  // Rows (1, 3) and (2, 2): means 2 and 2, variances 1 and 0.
  const auto outputs   = apply_all("LayerNormalization", {{"epsilon", 0.25}},
                                   {floats({2, 2}, {1, 3, 2, 2}), floats({2}, {1, 2}), floats({2}, {0, 1})}, 3);
  const double inverse = 1 / std::sqrt(1.25);
  expect_near(outputs[0], {2, 2}, {-inverse, 2 * inverse + 1, 0, 1});
  expect_near(outputs[1], {2, 1}, {2, 2});
  expect_near(outputs[2], {2, 1}, {inverse, 2});
}

TEST(BatchNormalization, NormalisesEachChannel) {
  const Array one = floats({2}, {1, 1});
  const Array y =
      apply("BatchNormalization", {{"epsilon", 0.0}},
            {floats({1, 2, 1}, {3, 5}), floats({2}, {2, 1}), floats({2}, {0, 7}), one, floats({2}, {4, 16})});
  expect_near(y, {1, 2, 1}, {2, 8});
}

TEST(SoftmaxCrossEntropyLoss, AveragesOverTheRowsThatAreNotIgnored) {
  const Array logits = floats({2, 2}, {0, 0, 5, 0}), labels = Array::of_ints({2}, {1, 0});
  expect_near(apply("SoftmaxCrossEntropyLoss", {{"ignore_index", 0}}, {logits, labels}), {}, {std::log(2.0)});
  expect_near(apply("SoftmaxCrossEntropyLoss", {{"count", 8}}, {floats({1, 2}, {0, 0}), Array::of_ints({1}, {1})}), {},
              {std::log(2.0) / 8});
}

TEST(SoftmaxCrossEntropyLoss, RefusesLabelsThatAreNoClass) {
  try {
    apply("SoftmaxCrossEntropyLoss", {}, {floats({1, 2}, {0, 0}), Array::of_ints({1}, {2})});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "SoftmaxCrossEntropyLoss: label 2 is no class; labels should lie in [0, 2)");
  }
}

TEST(Loss, DividesByTheNumberOfRows) {
  const Array x = floats({2, 1}, {3, 1}), y = floats({2, 1}, {1, 1});
  EXPECT_EQ(apply("Loss", {}, {x, y}), floats({2, 1}, {2, 0}));
  EXPECT_EQ(apply("LossGrad", {{"count", 4}}, {x, y}), floats({2, 1}, {1, 0}));
}

TEST(ReluGrad, PassesTheGradientWhereTheInputIsPositive) {
  EXPECT_EQ(apply("ReluGrad", {}, {floats({2}, {-1, 2}), floats({2}, {3, -4})}), floats({2}, {0, -4}));
}

TEST(GatherGrad, AddsTheRowsThatWereGatheredTwice) {
  const Array dy = floats({3, 1}, {1, 2, 4});
  EXPECT_EQ(apply("GatherGrad", {{"axis", 0}, {"dim", 3}}, {Array::of_ints({3}, {2, 0, -1}), dy}),
            floats({3, 1}, {2, 0, 5}));
}

TEST(Optimizers, UpdateEveryWeightOfATuple) {
  const Array w  = Array::tuple({floats({1}, {1}), floats({2}, {2, 3})}),
              dw = Array::tuple({floats({1}, {2}), floats({2}, {4, 8})});
  EXPECT_EQ(apply("Optimizer", {{"lr", 0.5}}, {w, dw}), Array::tuple({floats({1}, {0}), floats({2}, {0, -1})}));
}

TEST(Optimizers, OfTheFirstStepOfAdamMoveByTheLearningRate) {
  // With m = v = 0 the bias-corrected step is dw / |dw|.
  const Array zero   = floats({2}, {0, 0});
  const auto outputs = apply_all("AdamOptimizer", {{"lr", 0.1}, {"epsilon", 0.0}},
                                 {floats({2}, {1, 1}), floats({2}, {3, -2}), zero, zero}, 3);
  expect_near(outputs[0], {2}, {0.9, 1.1});
  expect_near(outputs[1], {2}, {0.3, -0.2});
  expect_near(outputs[2], {2}, {0.009, 0.004});
}

TEST(Tuples, ArePackedUnpackedAndSelected) {
  const Array a = floats({1}, {1}), b = Array::of_ints({2}, {2, 3});
  const Array pair = apply("PackTuple", {}, {a, b});
  EXPECT_EQ(pair, Array::tuple({a, b}));
  EXPECT_EQ(apply("Select", {{"index", 1}}, {pair}), b);
  EXPECT_EQ(apply_all("UnpackTuple", {}, {pair}, 2), (std::vector<Array>{a, b}));
}

}  // namespace
}  // namespace foreflow::test::products_test
