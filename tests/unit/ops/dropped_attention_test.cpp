// Attention in one op that drops probabilities: of one block, and of two blocks that ranks of a ring exchange, against
// the formula written out, with the numbers that Dropout draws for the same seed.
#include <gtest/gtest.h>

#include <random>

#include "foreflow/base/error.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/distribution.h"

namespace foreflow::ops::dropped_attention_test {
namespace {

using Arrays = std::vector<ir::Array>;

Arrays evaluate(const std::string& body, const Arrays& arguments, const std::string& parameters) {
  const ir::Module module = ir::parse("func @main(" + parameters + ") {\n" + body + "}\n", "test", table());
  return interpret::evaluate(module, 0, arguments);
}

const std::string kBlocks = R"(%q: Tensor[Float64, (1, 2, 3, 4)], %k1: Tensor[Float64, (1, 2, 5, 4)],
    %k2: Tensor[Float64, (1, 2, 5, 4)], %v1: Tensor[Float64, (1, 2, 5, 2)], %v2: Tensor[Float64, (1, 2, 5, 2)],
    %do: Tensor[Float64, (1, 2, 3, 2)])";

// 0 or 4/3 for each score of a block.
const std::string kKept = R"(
  %ones = Constant[value = Float64()[1]]()
  %shape = Constant[value = Int64(4,)[1, 2, 3, 5]]()
  %ratio = Constant[value = Float64()[0.25]]()
  %yes = Constant[value = Bool()[1]]()
  %all = Expand(%ones, %shape)
  %kept = Dropout[seed = 9](%all, %ratio, %yes)
)";

const std::string kForward = R"(
  %o1, %l1 = BlockAttention[scale = 0.5, dropout = 0.25, seed = 9](%q, %k1, %v1)
  %o2, %l2 = BlockAttention[scale = 0.5, dropout = 0.25, seed = 9](%q, %k2, %v2)
  %o, %l = MergeAttention(%o1, %l1, %o2, %l2)
)";

Arrays numbers() {
  std::mt19937_64 random(5);
  const ir::Module module = ir::parse("func @main(" + kBlocks + ") {\n  return %q\n}\n", "test", table());
  return test::random_arguments(module, random, 2);
}

ir::Array moved(const ir::Array& array, int64_t element, double by) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.size(); ++i) values.push_back(array.at(i) + (i == element ? by : 0));
  return ir::Array::of<double>(ir::DType::f64, array.dims(), values);
}

// The sum of the results, each times its number in %do.
double weighted(const Arrays& arguments) {
  const Arrays result = evaluate(kKept + R"(
  %k = Concat[axis = 2](%k1, %k2)
  %v = Concat[axis = 2](%v1, %v2)
  %scores = FusedMatMul[transB = 1, alpha = 0.5](%q, %k)
  %shares = Softmax[axis = -1](%scores)
  %both = Concat[axis = 3](%kept, %kept)
  %left = Mul(%shares, %both)
  %o = MatMul(%left, %v)
  %y = Mul(%o, %do)
  %sum = ReduceSum[keepdims = 0](%y)
  return %sum
)",
                                 arguments, kBlocks);
  return result[0].at(0);
}

TEST(DroppedAttention, KeepsWhatDropoutOfTheSameSeedKeeps) {
  const Arrays results = evaluate(kKept + R"(
  %o1, %l1 = BlockAttention[scale = 0.5, dropout = 0.25, seed = 9](%q, %k1, %v1)
  %scores = FusedMatMul[transB = 1, alpha = 0.5](%q, %k1)
  %shares = Softmax[axis = -1](%scores)
  %left = Mul(%shares, %kept)
  %o = MatMul(%left, %v1)
  return %o1, %o, %kept
)",
                                  numbers(), kBlocks);
  EXPECT_LE(test::relative_difference(results[0], results[1]), 1e-12);
  int64_t dropped = 0;
  for (int64_t i = 0; i < results[2].size(); ++i) dropped += results[2].at(i) == 0 ? 1 : 0;
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, results[2].size() / 2);
}

TEST(DroppedAttention, OfBlocksIsThatOfAllOfThem) {
  const Arrays arguments = numbers();
  const Arrays results   = evaluate(kForward + R"(
  %y = Mul(%o, %do)
  %sum = ReduceSum[keepdims = 0](%y)
  return %sum
)",
                                    arguments, kBlocks);
  EXPECT_NEAR(results[0].at(0), weighted(arguments), 1e-12);
}

TEST(DroppedAttention, HasTheGradientOfItsFormula) {
  const Arrays arguments = numbers();
  const Arrays gradients = evaluate(kForward + R"(
  %q1, %dk1, %dv1 = BlockAttentionGrad[scale = 0.5, dropout = 0.25, seed = 9](%q, %k1, %v1, _, %o, %l, %do)
  %q2, %dk2, %dv2 = BlockAttentionGrad[scale = 0.5, dropout = 0.25, seed = 9](%q, %k2, %v2, _, %o, %l, %do)
  %dq = Add(%q1, %q2)
  return %dq, %dk1, %dk2, %dv1, %dv2
)",
                                    arguments, kBlocks);
  constexpr double kStep = 1e-5;
  for (size_t operand = 0; operand < gradients.size(); ++operand) {
    for (int64_t i = 0; i < gradients[operand].size(); ++i) {
      const auto around = [&](double by) {
        Arrays others   = arguments;
        others[operand] = moved(arguments[operand], i, by);
        return weighted(others);
      };
      EXPECT_NEAR(gradients[operand].at(i), (around(kStep) - around(-kStep)) / (2 * kStep), 1e-8)
          << "operand " << operand << ", element " << i;
    }
  }
}

TEST(DroppedAttention, SaysWhichShareIsNone) {
  for (const char* ratio : {"1.0", "-0.5"}) {
    try {
      evaluate("  %o, %l = BlockAttention[dropout = " + std::string(ratio) + "](%q, %k1, %v1)\n  return %o\n",
               numbers(), kBlocks);
      FAIL() << "nothing was wrong with " << ratio;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("; 0, or less than 1, would be right"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace foreflow::ops::dropped_attention_test
