// Attention that one op computes, as ONNX Runtime writes it: tensor parallelism splits its heads and their caches.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"

namespace foreflow::test::fused_heads_test {
namespace {

using transform::Layout;

// One token behind 4 others, with 4 heads of queries; `attention` is the text of the op that computes %y and the
// caches.
ir::Module layer(int64_t kv_heads, const std::string& attention) {
  const std::string columns = std::to_string(2 * kv_heads), heads = std::to_string(kv_heads);
  const std::string cache = "Tensor[Float32, (2, " + heads + ", 4, 2)]";
  return ir::parse("func @main(weight %wq: Tensor[Float32, (8, 8)], weight %wk: Tensor[Float32, (8, " + columns +
                       ")], weight %wv: Tensor[Float32, (8, " + columns +
                       ")], weight %wo: Tensor[Float32, (8, 8)], %x: Tensor[Float32, (2, 1, 8)], %past_key: " + cache +
                       ", %past_value: " + cache +
                       ") {\n"
                       "  %lengths = Constant[value = Int32(2,)[2, 4]]()\n"
                       "  %total = Constant[value = Int32()[5]]()\n"
                       "  %q = MatMul(%x, %wq)\n  %k = MatMul(%x, %wk)\n  %v = MatMul(%x, %wv)\n"
                       "  %y, %keys, %values = " +
                       attention +
                       "\n"
                       "  %z = MatMul(%y, %wo)\n"
                       "  return %z, %keys, %values\n}",
                   "layer", ops::table());
}

ir::Module grouped() {
  return layer(2,
               "GroupQueryAttention[num_heads = 4, kv_num_heads = 2](%q, %k, %v, %past_key, %past_value, %lengths, "
               "%total)");
}

ir::Module of_all_heads() {
  return layer(4, "MultiHeadAttention[num_heads = 4](%q, %k, %v, _, _, _, %past_key, %past_value)");
}

// The layouts of the caches and of what they become.
std::vector<Layout> of_caches(const transform::Distributed& made) {
  constexpr int32_t kPastKey = 5, kKeys = 1;
  std::vector<Layout> layouts;
  for (const transform::Piece& piece : made.parameters)
    if (piece.source >= kPastKey) layouts.push_back(piece.layout);
  for (const transform::Piece& piece : made.results)
    if (piece.source >= kKeys) layouts.push_back(piece.layout);
  return layouts;
}

void expect_heads(const ir::Module& module, int ways, const Layout& layout) {
  SCOPED_TRACE(ways);
  const transform::Distributed made = transform::shard(module, ops::table(), ways);
  const std::vector<Layout> caches  = of_caches(made);
  EXPECT_GE(caches.size(), 4U);
  EXPECT_TRUE(std::all_of(caches.begin(), caches.end(), [&](const Layout& one) { return one == layout; }));
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(module, random, 4);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  const auto results   = run({made}, arguments, expected.size());
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) EXPECT_LE(relative_difference(results[i], expected[i]), 1e-5) << i;
}

TEST(FusedHeads, AreSplitWithTheirCaches) {
  expect_heads(grouped(), 2, Layout::split(1));
  expect_heads(of_all_heads(), 2, Layout::split(1));
  expect_heads(of_all_heads(), 4, Layout::split(1));
}

TEST(FusedHeads, StayWholeWhereShardsAreMoreThanHeadsOfKeys) { expect_heads(grouped(), 4, Layout::whole()); }

}  // namespace
}  // namespace foreflow::test::fused_heads_test
