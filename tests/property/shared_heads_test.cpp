// Tensor parallelism over more shards than there are heads of keys and values (grouped-query attention, Ainslie et al.,
// 2023): shards share such heads, and the program means the same.
#include <gmock/gmock.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::test::shared_heads_test {
namespace {

// Four heads of queries, two of keys and values, of two numbers each.
const std::string kGrouped = R"(
func @main(weight %wq: Tensor[Float32, (8, 8)], weight %wk: Tensor[Float32, (8, 4)], weight %wv: Tensor[Float32, (8, 4)],
           weight %wo: Tensor[Float32, (8, 8)], %x: Tensor[Float32, (2, 3, 8)]) {
  %q = MatMul(%x, %wq)
  %q_heads = Reshape[shape = [0, 0, 4, 2]](%q)
  %queries = Transpose[perm = [0, 2, 1, 3]](%q_heads)
  %k = MatMul(%x, %wk)
  %k_heads = Reshape[shape = [0, 0, 2, 2]](%k)
  %keys = Transpose[perm = [0, 2, 1, 3]](%k_heads)
  %v = MatMul(%x, %wv)
  %v_heads = Reshape[shape = [0, 0, 2, 2]](%v)
  %values = Transpose[perm = [0, 2, 1, 3]](%v_heads)
  %shape = Constant[value = Int64(5,)[2, 2, 2, 3, 2]]()
  %k_apart = Unsqueeze[axes = [2]](%keys)
  %k_all = Expand(%k_apart, %shape)
  %k_each = Reshape[shape = [2, 4, 3, 2]](%k_all)
  %v_apart = Unsqueeze[axes = [2]](%values)
  %v_all = Expand(%v_apart, %shape)
  %v_each = Reshape[shape = [2, 4, 3, 2]](%v_all)
  %columns = Transpose[perm = [0, 1, 3, 2]](%k_each)
  %scores = MatMul(%queries, %columns)
  %shares = Softmax[axis = -1](%scores)
  %seen = MatMul(%shares, %v_each)
  %rows = Transpose[perm = [0, 2, 1, 3]](%seen)
  %joined = Reshape[shape = [0, 0, 8]](%rows)
  %y = MatMul(%joined, %wo)
  return %y
})";

TEST(SharedHeads, MeanTheSameOverMoreShardsThanKeysHaveHeads) {
  const ir::Module module = transform::resolve(ir::parse(kGrouped, "grouped", ops::table()));
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(module, random, 2);
  const auto expected  = interpret::evaluate(module, 0, arguments);
  for (const int tp : {2, 4}) {
    const auto steps = distribute(module, {.tp = tp});
    EXPECT_LE(relative_difference(run(steps, arguments, 1)[0], expected[0]), 1e-5) << tp;
  }
}

// Gradients of shared heads are gathered, and everything that shards do not share stays split.
TEST(SharedHeads, TrainSplitOverMoreShardsThanKeysHaveHeads) {
  const ir::Module grouped = ir::parse(kGrouped, "grouped", ops::table());
  const ir::Module module  = transform::add_optimizer(
       transform::differentiate(transform::resolve(grouped), ops::table()), ops::table(), "adam");
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(module, random, 2);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  const auto steps     = distribute(module, {.tp = 4});
  const auto actual    = run(steps, arguments, expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_LE(relative_difference(actual[i], expected[i]), 1e-4) << i;
  const std::string text = ir::print(steps.back().module);
  EXPECT_THAT(text, testing::HasSubstr("%wq.1: Tensor[Float32, (8, 2), 1]"));
  EXPECT_THAT(text, testing::HasSubstr("%wk.1: Tensor[Float32, (8, 4), 1]"));
  EXPECT_THAT(text, testing::HasSubstr("%wo.1: Tensor[Float32, (2, 8), 1]"));
}

// The same with the keys' and values' projections before that of the queries.
std::string keys_first() {
  std::string text  = kGrouped;
  const size_t from = text.find("  %q = "), to = text.find("  %k = "), end = text.find("  %shape = ");
  const auto queries = text.substr(from, to - from);
  return text.substr(0, from) + text.substr(to, end - to) + queries + text.substr(end);
}

TEST(SharedHeads, DoNotDependOnTheOrderOfTheProjections) {
  const ir::Module module = transform::resolve(ir::parse(keys_first(), "grouped", ops::table()));
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(module, random, 2);
  const auto expected  = interpret::evaluate(module, 0, arguments);
  EXPECT_LE(relative_difference(run(distribute(module, {.tp = 4}), arguments, 1)[0], expected[0]), 1e-5);
  try {
    distribute(module, {.tp = 8});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("(2, 3, 4, 2); use a divisor of the number of heads, 1, 2 or 4"));
  }
}

TEST(SharedHeads, NamesTheNumbersThatDivideTheHeads) {
  const ir::Module module = transform::resolve(ir::parse(kGrouped, "grouped", ops::table()));
  try {
    distribute(module, {.tp = 8});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("(2, 3, 4, 2); use a divisor of the number of heads, 1, 2 or 4"));
  }
}

}  // namespace
}  // namespace foreflow::test::shared_heads_test
