// BlockAttention and its gradient check their operands against each other before they read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "unit/ops/apply.h"

namespace foreflow::test::block_attention_test {
namespace {

using ir::Dims;
using ir::Type;
using testing::HasSubstr;

Type f32(const Dims& dims) { return Type::tensor(ir::DType::f32, dims); }

std::string refusal(const std::string& op, const std::vector<Type>& operands, size_t results) {
  const ir::OpDef& def            = ops::table().get(op, "test");
  const ir::Attributes attributes = {{"scale", 1.0}};
  const std::vector<const ir::Array*> known(operands.size());
  try {
    def.infer({def, attributes, operands, known, results});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const Type kOf = f32({1, 2, 4, 3}), kGrouped = f32({1, 2, 5, 4, 3}), kRows = f32({1, 2, 4});

TEST(BlockAttention, RefusesABiasThatDoesNotStretchToTheScores) {
  const auto with = [](const Type& q, const Dims& bias) {
    return refusal("BlockAttention", {q, kOf, kOf, f32(bias)}, 2);
  };
  for (const Dims& bias : {Dims{}, Dims{4}, Dims{4, 1}, Dims{1, 4}, Dims{2, 4, 4}, Dims{1, 1, 4, 4}})
    EXPECT_EQ(with(kOf, bias), "") << to_string(bias);
  for (const Dims& bias : {Dims{3}, Dims{0, 4}, Dims{2, 4}, Dims{3, 4, 4}, Dims{2, 2, 4, 4}, Dims{1, 1, 2, 4, 4}}) {
    EXPECT_THAT(with(kOf, bias), HasSubstr("bias is " + to_string(bias) + "; it should broadcast to (1, 2, 4, 4)"));
  }
  EXPECT_EQ(with(kGrouped, {2, 1, 4, 4}), "");
  EXPECT_THAT(with(kGrouped, {2, 4, 4}), HasSubstr("it should broadcast to (1, 2, 5, 4, 4)"));
}

TEST(BlockAttentionGrad, RefusesOperandsThatDoNotFit) {
  const auto with = [](const Dims& bias, const Type& o, const Type& rows, const Type& slope) {
    return refusal("BlockAttentionGrad", {kOf, kOf, kOf, f32(bias), o, rows, slope}, 4);
  };
  EXPECT_EQ(with({4, 4}, kOf, kRows, kOf), "");
  EXPECT_THAT(with({0, 4}, kOf, kRows, kOf), HasSubstr("bias is (0, 4); it should broadcast to (1, 2, 4, 4)"));
  for (const auto& [o, rows] : {std::pair{kRows, kRows}, std::pair{kOf, kOf}})
    EXPECT_THAT(with({4, 4}, o, rows, kOf), HasSubstr("(1, 2, 4, 3) and (1, 2, 4) would be right"));
  EXPECT_THAT(with({4, 4}, kOf, kRows, kRows), HasSubstr("the gradient is (1, 2, 4)"));
}

}  // namespace
}  // namespace foreflow::test::block_attention_test
