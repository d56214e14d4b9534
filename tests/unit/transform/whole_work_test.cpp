// What is said about arithmetic that tensor parallelism leaves whole.
#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/tensor.h"

namespace foreflow::transform::whole_work_test {
namespace {

std::string remark(const std::string& text, int ways) {
  return remark_on_whole_work(ir::parse(text, "m", ops::table()), ops::table(), ways, {});
}

// A token behind 63 others, with 4 heads of queries and 2 of keys.
constexpr std::string_view kAttention = R"(
func @main(weight %wq: Tensor[Float32, (8, 8)], weight %wk: Tensor[Float32, (8, 4)],
           weight %wv: Tensor[Float32, (8, 4)], weight %wo: Tensor[Float32, (8, 8)], %x: Tensor[Float32, (2, 1, 8)],
           %past_key: Tensor[Float32, (2, 2, 63, 2)], %past_value: Tensor[Float32, (2, 2, 63, 2)]) {
  %lengths = Constant[value = Int32(2,)[63, 63]]()
  %total = Constant[value = Int32()[64]]()
  %q = MatMul(%x, %wq)
  %k = MatMul(%x, %wk)
  %v = MatMul(%x, %wv)
  %y, %keys, %values = GroupQueryAttention[num_heads = 4, kv_num_heads = 2](%q, %k, %v, %past_key, %past_value,
                                                                           %lengths, %total)
  %z = MatMul(%y, %wo)
  return %z, %keys, %values
})";

// A product of no power of two beside a small one of which a half can be computed.
constexpr std::string_view kOddProduct = R"(
func @main(weight %a: Tensor[Float32, (9, 99)], weight %b: Tensor[Float32, (9, 2)], %x: Tensor[Float32, (5, 9)]) {
  %y = MatMul(%x, %a)
  %z = MatMul(%x, %b)
  return %y, %z
})";

TEST(WholeWork, IsRemarkedOnWithTheOpsThatDoIt) {
  EXPECT_EQ(remark(std::string(kAttention), 2), "");
  EXPECT_EQ(remark(std::string(kAttention), 4),
            "97 % of the arithmetic is not split, and each of 4 ranks computes all of it: 1 x GroupQueryAttention, 3 x "
            "MatMul; m:10: @main: %y, %keys, %values = GroupQueryAttention needs all of %q, as 4 does not divide its 2 "
            "heads of keys");
}

TEST(WholeWork, IsRemarkedOnWhereTheDegreeDoesNotDivideAWeight) {
  EXPECT_EQ(remark(std::string(kOddProduct), 2),
            "98 % of the arithmetic is not split, and each of 2 ranks computes all of it: 1 x MatMul; 2 divides no "
            "dimension of %a, (9, 99)");
}

}  // namespace
}  // namespace foreflow::transform::whole_work_test
