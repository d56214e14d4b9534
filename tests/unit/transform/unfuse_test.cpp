// Fused ops written with what they consist of compute the same.
#include "foreflow/transform/unfuse.h"

#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/distribution.h"

namespace foreflow::transform::unfuse_test {
namespace {

struct FusedProgram {
  std::string name, text;
};

const std::vector<FusedProgram>& programs() {
  static const std::vector<FusedProgram> kPrograms = {
      {"gemm", R"(
func @main(weight %w: Tensor[Float32, (3, 4)], weight %b: Tensor[Float32, (4,)], %x: Tensor[Float32, (2, 3)]) {
  %y = FusedGemm[activation = "LeakyRelu", activation_alpha = 0.25](%x, %w, %b)
  return %y
})"},
      {"convolution", R"(
func @main(weight %w: Tensor[Float32, (2, 2, 3, 3)], %x: Tensor[Float32, (1, 2, 4, 4)], %z: Tensor[Float32, (1, 2, 2, 2)]) {
  %y = FusedConv[activation = "Relu"](%x, %w, _, %z)
  return %y
})"},
      {"attention", R"(
func @main(weight %w: Tensor[Float32, (4, 12)], weight %b: Tensor[Float32, (12,)], %x: Tensor[Float32, (2, 3, 4)],
           %mask: Tensor[Int32, (2, 3)]) {
  %y = Attention[num_heads = 2](%x, %w, %b, %mask)
  return %y
})"},
      {"multi_head_attention", R"(
func @main(weight %b: Tensor[Float32, (14,)], %q: Tensor[Float32, (2, 3, 4)], %k: Tensor[Float32, (2, 5, 4)],
           %v: Tensor[Float32, (2, 5, 6)], %added: Tensor[Float32, (1, 2, 3, 5)]) {
  %y = MultiHeadAttention[num_heads = 2](%q, %k, %v, %b, _, %added)
  return %y
})"},
      {"packed attention", R"(
func @main(weight %b: Tensor[Float32, (14,)], %q: Tensor[Float32, (3, 4)], %k: Tensor[Float32, (3, 4)],
           %v: Tensor[Float32, (3, 6)], %added: Tensor[Float32, (2, 2, 3, 3)]) {
  %at = Constant[value = Int32(2, 3)[0, 3, 4, 1, 2, 5]]()
  %lengths = Constant[value = Int32(3,)[0, 1, 3]]()
  %y = PackedMultiHeadAttention[num_heads = 2](%q, %k, %v, %b, %at, %lengths, %added)
  return %y
})"},
      {"packed attention in one operand", R"(
func @main(%q: Tensor[Float32, (5, 2, 3, 4)]) {
  %at = Constant[value = Int32(3, 3)[0, 1, 6, 7, 8, 2, 3, 4, 5]]()
  %lengths = Constant[value = Int32(4,)[0, 2, 2, 5]]()
  %y = PackedMultiHeadAttention[num_heads = 2, scale = 0.25](%q, _, _, _, %at, %lengths)
  return %y
})"},
  };
  return kPrograms;
}

TEST(Unfuse, KeepsWhatFusedOpsCompute) {
  for (const FusedProgram& program : programs()) {
    SCOPED_TRACE(program.name);
    const ir::Module fused = ir::parse(program.text, program.name, ops::table()), plain = unfuse(fused, ops::table());
    EXPECT_GT(plain.entry().ops.size(), fused.entry().ops.size());
    std::mt19937_64 random(7);
    const auto arguments = test::random_arguments(fused, random, 2);
    const auto expected = interpret::evaluate(fused, 0, arguments), actual = interpret::evaluate(plain, 0, arguments);
    EXPECT_LE(test::relative_difference(actual[0], expected[0]), 1e-6);
  }
}

TEST(Unfuse, LeavesAttentionWithACacheAsItIs) {
  const std::string text = R"(
func @main(weight %w: Tensor[Float32, (4, 12)], %x: Tensor[Float32, (2, 3, 4)], %past: Tensor[Float32, (2, 2, 2, 1, 2)]) {
  %y = Attention[num_heads = 2](%x, %w, _, _, %past)
  return %y
})";
  const ir::Module fused = ir::parse(text, "m", ops::table());
  EXPECT_EQ(ir::print(unfuse(fused, ops::table())), ir::print(fused));
}

}  // namespace
}  // namespace foreflow::transform::unfuse_test
