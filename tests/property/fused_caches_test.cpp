// Caches of decoders, and other keys and values that come as data, are split by heads beside tensor parallelism whether
// or not attention is one op, and the numbers stay the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/families.h"
#include "support/slopes.h"

namespace foreflow::test::fused_caches_test {
namespace {

using transform::Attention;

constexpr int64_t kBatch = 2, kBelow = 5;

ir::Module with(const ir::Module& module, Attention attention) {
  const ir::OpTable& ops = ops::table();
  if (attention == Attention::unfused) return module;
  return transform::resolve(transform::fuse_attention(module, ops, transform::Cores::possible, false));
}

// The bytes of keys and values on the first device: data of four dimensions.
Bytes keys_and_values(const ir::Module& module) {
  Bytes sum{0};
  const ir::Function& function = module.entry();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Type& type = *function.values[i].annotation;
    if (function.parameters[i] == ir::ParameterRole::data && type.dims.size() == 4 && type.device.index <= 1)
      sum += ir::bytes_of(type);
  }
  return sum;
}

// For 2 and 4 ways and both kinds of attention.
void expect_split(const ir::Module& module, double tolerance = 1e-4) {
  for (const Attention attention : {Attention::unfused, Attention::flash}) {
    const ir::Module program = with(module, attention);
    std::mt19937_64 random(20266);
    const auto arguments = moderate_arguments(program, random, kBelow);
    const auto expected  = interpret::evaluate(program, program.functions.size() - 1, arguments);
    for (const int ways : {2, 4}) {
      SCOPED_TRACE(std::string(transform::name(attention)) + " tp=" + std::to_string(ways));
      const transform::Distributed split = transform::shard(program, ops::table(), ways, {});
      EXPECT_GT(keys_and_values(program), Bytes(0));
      EXPECT_EQ(keys_and_values(split.module) * ways, keys_and_values(program));
      const auto actual = run({split}, arguments, expected.size());
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_LT(relative_difference(actual[i], expected[i]), tolerance) << "result " << i;
    }
  }
}

class FusedCaches : public testing::TestWithParam<std::string> {};

TEST_P(FusedCaches, AreSplitByHeads) { expect_split(transform::resolve(built(members().at(GetParam()), kBatch))); }

// The op for attention converts what it reads; without it a Cast does.
TEST_P(FusedCaches, AreSplitByHeadsInATypeOfTheirOwn) {
  Member member          = members().at(GetParam());
  const ir::Module plain = transform::resolve(built(member, kBatch));
  member.sizes.insert(1, R"("cache_dtype": "f16", )");
  const ir::Module narrow = transform::resolve(built(member, kBatch));
  expect_split(narrow, 1e-3);
  EXPECT_EQ(keys_and_values(narrow) * 2, keys_and_values(plain));
  const auto casts = [](const ir::Module& module, Attention attention) {
    const ir::Module program = with(module, attention);
    return std::count_if(program.entry().ops.begin(), program.entry().ops.end(),
                         [](const ir::Op& op) { return op.def->name == "Cast"; });
  };
  EXPECT_GT(casts(narrow, Attention::unfused), casts(plain, Attention::unfused));
  EXPECT_EQ(casts(narrow, Attention::flash), casts(plain, Attention::flash));
}

INSTANTIATE_TEST_SUITE_P(Decoders, FusedCaches,
                         testing::Values("gpt_decode", "llama_decode", "moe_decode", "t5_decode"),
                         [](const auto& info) { return info.param; });

// Keys and values that no run wrote, such as those of an image in an imported model.
constexpr const char* kAttends = R"(
func @f(weight %wq: Tensor[Float32, (8, 8)], weight %wo: Tensor[Float32, (8, 8)], %x: Tensor[Float32, (2, 3, 8)],
        %k: Tensor[Float32, (2, 4, 5, 2)], %v: Tensor[Float32, (2, 4, 5, 2)]) {
  %p = MatMul(%x, %wq)
  %h = Reshape[shape = [2, 3, 4, 2]](%p)
  %q = Transpose[perm = [0, 2, 1, 3]](%h)
  %s = FusedMatMul[transB = 1, alpha = 0.7](%q, %k)
  %a = Softmax[axis = 3](%s)
  %o = MatMul(%a, %v)
  %t = Transpose[perm = [0, 2, 1, 3]](%o)
  %m = Reshape[shape = [2, 3, 8]](%t)
  %y = MatMul(%m, %wo)
  %l = ReduceMean[keepdims = 0](%y)
  return %l
})";

TEST(FusedKeysAndValues, AreSplitByHeadsWhoeverWroteThem) {
  expect_split(transform::resolve(ir::parse(kAttends, "attends", ops::table())));
}

}  // namespace
}  // namespace foreflow::test::fused_caches_test
