// What an op takes as an attribute in one opset and as an operand in another means the same.
#include <gtest/gtest.h>

#include "unit/ops/apply.h"

namespace foreflow::test::opsets_test {
namespace {

using ir::Array;
using ir::Attributes;
using Ints = std::vector<int64_t>;

Array list(const Ints& values) { return Array::of_ints({static_cast<int64_t>(values.size())}, values); }
const Array kMatrix = Array::of_floats({2, 3}, {3, -1, 2, 5, 4, 0.5F});

struct Form {
  Attributes attributes;
  std::vector<Array> operands;
};

void expect_same(const std::string& op, const Form& old, const Form& fresh, size_t outputs = 1) {
  EXPECT_EQ(apply_all(op, old.attributes, old.operands, outputs),
            apply_all(op, fresh.attributes, fresh.operands, outputs))
      << op;
}

TEST(Opsets, ReductionsTakeAxesEitherWay) {
  const Array positive = Array::of_floats({2, 3}, {3, 1, 2, 5, 4, 0.5F});
  for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                         "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
    for (const int64_t keepdims : {0, 1}) {
      const Attributes keep{{"keepdims", keepdims}};
      expect_same(op, {Attributes(keep).set("axes", Ints{-1}), {positive}}, {keep, {positive, list({1})}});
      expect_same(op, {Attributes(keep).set("axes", Ints{0, 1}), {positive}}, {keep, {positive}});
    }
  }
}

TEST(Opsets, ViewsTakeAxesEitherWay) {
  const Array narrow = kMatrix.reshaped({2, 1, 3});
  expect_same("Squeeze", {{{"axes", Ints{1}}}, {narrow}}, {{}, {narrow, list({1})}});
  expect_same("Unsqueeze", {{{"axes", Ints{0, 2}}}, {kMatrix}}, {{}, {kMatrix, list({0, 2})}});
  expect_same("Reshape", {{{"shape", Ints{3, -1}}}, {kMatrix}}, {{}, {kMatrix, list({3, -1})}});
}

TEST(Opsets, PartsAreCutEitherWay) {
  expect_same("Slice", {{{"starts", Ints{1}}, {"ends", Ints{3}}, {"axes", Ints{1}}}, {kMatrix}},
              {{}, {kMatrix, list({1}), list({3}), list({1})}});
  expect_same("Split", {{{"axis", 1}, {"split", Ints{1, 2}}}, {kMatrix}}, {{{"axis", 1}}, {kMatrix, list({1, 2})}}, 2);
  expect_same("Split", {{{"axis", 0}}, {kMatrix}}, {{{"axis", 0}, {"num_outputs", 2}}, {kMatrix}}, 2);
  expect_same("TopK", {{{"k", 2}}, {kMatrix}}, {{}, {kMatrix, list({2})}}, 2);
  expect_same("Pad", {{{"pads", Ints{0, 1, 0, 0}}, {"value", 7.0}}, {kMatrix}},
              {{}, {kMatrix, list({0, 1, 0, 0}), Array::scalar(7.0F)}});
}

TEST(Opsets, LimitsAndRatiosAreGivenEitherWay) {
  expect_same("Clip", {{{"min", -0.5}, {"max", 3.0}}, {kMatrix}},
              {{}, {kMatrix, Array::scalar(-0.5F), Array::scalar(3.0F)}});
  expect_same("Dropout", {{{"ratio", 0.25}}, {kMatrix}}, {{}, {kMatrix, Array::scalar(0.25F)}});
}

TEST(Opsets, AZeroInAShapeKeepsADimensionUnlessItIsAllowed) {
  EXPECT_EQ(apply("Reshape", {}, {kMatrix, list({0, 3})}).dims(), (ir::Dims{2, 3}));
  const Array none = Array(ir::DType::f32, {0, 3});
  EXPECT_EQ(apply("Reshape", {{"allowzero", 1}}, {none, list({3, 0})}).dims(), (ir::Dims{3, 0}));
}

TEST(Opsets, PadOf18TakesAxes) {
  EXPECT_EQ(apply("Pad", {}, {kMatrix, list({1, 0}), Array::scalar(0.0F), list({1})}).dims(), (ir::Dims{2, 4}));
}

TEST(Opsets, ScatteredNumbersMeetThoseThatAreThere) {
  const Array data = list({1, 5, 3}), places = Array::of_ints({1, 1}, {1}), update = list({4});
  const auto scattered = [&](const char* reduction) {
    return apply("ScatterND", {{"reduction", std::string(reduction)}}, {data, places, update});
  };
  EXPECT_EQ(scattered("none"), list({1, 4, 3}));
  EXPECT_EQ(scattered("add"), list({1, 9, 3}));
  EXPECT_EQ(scattered("mul"), list({1, 20, 3}));
  EXPECT_EQ(scattered("max"), list({1, 5, 3}));
  EXPECT_EQ(scattered("min"), list({1, 4, 3}));
}

}  // namespace
}  // namespace foreflow::test::opsets_test
