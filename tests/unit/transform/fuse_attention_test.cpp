// Attention that is one op reads heads where the projections have written them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::transform::fuse_attention_test {
namespace {

constexpr int64_t kBatch = 2, kLayers = 3;

ir::Module trained(const char* name, const char* sizes) {
  const ir::Module forward = resolve(test::family(name, sizes, kBatch, workload::Mode::training));
  return eliminate_dead_code(differentiate(fuse_attention(forward, ops::table()), ops::table()));
}

ir::Module gpt() {
  return trained("gpt", R"({"layers": 3, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11})");
}
ir::Module llama() {
  return trained("llama", R"({"layers": 3, "hidden": 32, "feed_forward": 8, "heads": 8, "kv_heads": 4, "sequence": 8,
                              "vocabulary": 11})");
}

// Ops that exchange positions and heads, and how many of them move anything.
struct Turns {
  int64_t all = 0, moving = 0;
};

Turns turns_of(const ir::Module& module) {
  const ir::Function& function = module.entry();
  const auto meaning           = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto type              = [&](ir::ValueId id) { return meaning.entry().values[ir::index(id)].type; };
  Turns turns;
  for (const ir::Op& op : function.ops) {
    if (op.is_call() || op.def->name != "Transpose" || type(function.output(op, 0)).dims.size() != 4) continue;
    const std::vector<ir::Type> inputs{type(function.inputs(op)[0])}, outputs{type(function.output(op, 0))};
    const std::vector<const ir::Array*> known{nullptr};
    const ir::Work work = op.def->work({*op.def, *op.attributes, inputs, known, 1}, outputs);
    ++turns.all;
    if (work.kernels > 0 || work.read + work.written > Bytes(0)) ++turns.moving;
  }
  return turns;
}

// Queries, keys, values and the result, and the gradient of each.
TEST(FuseAttention, TurnsHeadsWithoutMovingThemForwardAndBackward) {
  for (const ir::Module& module : {gpt(), llama()}) {
    const Turns turns = turns_of(module);
    EXPECT_EQ(turns.all, 8 * kLayers);
    EXPECT_EQ(turns.moving, 0);
  }
}

// Their gradients are of their own: they are put side by side for the product before, which moves them.
TEST(FuseAttention, ReadsQueriesKeysAndValuesWhereOneProductHasWrittenThem) {
  const ir::Module module = gpt();
  int64_t splits = 0, joins = 0;
  for (const ir::Op& op : module.entry().ops) {
    if (op.is_call() || (op.def->name != "Split" && op.def->name != "Concat")) continue;
    const bool forward = op.def->name == "Split";
    ++(forward ? splits : joins);
    EXPECT_EQ(op.attributes->int_or("placed", 0), forward ? 1 : 0);
  }
  EXPECT_EQ(splits, kLayers);
  EXPECT_EQ(joins, kLayers);
}

TEST(FuseAttention, TakesTheFactorOfTheQueriesIntoItsScale) {
  const ir::Module module = gpt();
  int64_t cores           = 0;
  for (const ir::Op& op : module.entry().ops) {
    if (op.is_call()) continue;
    EXPECT_NE(op.def->name, "Mul");
    if (op.def->name != "BlockAttention") continue;
    ++cores;
    EXPECT_FLOAT_EQ(op.attributes->float_or("scale", 0), 1 / std::sqrt(4.0));  // heads of 4
  }
  EXPECT_EQ(cores, kLayers);
}

// scaled_dot_product_attention as torch.onnx.export(dynamo=True) writes it: queries and keys have the root of the scale
// each, the keys of all heads are turned at once, and rows that see nothing give 0.
constexpr std::string_view kExported = R"(
func @main(%q: Tensor[Float32, (2, 4, 3, 8)], %k: Tensor[Float32, (2, 4, 5, 8)], %v: Tensor[Float32, (2, 4, 5, 8)],
           %mask: Tensor[Float32, (2, 1, 3, 5)]) {
  %root = Constant[value = Float32()[0.5]]()
  %zero = Constant[value = Float32()[0]]()
  %joined = Reshape[shape = [8, 5, 8]](%k)
  %turned = Transpose[perm = [0, 2, 1]](%joined)
  %columns = Reshape[shape = [2, 4, 8, 5]](%turned)
  %queries = Mul(%q, %root)
  %keys = Mul(%columns, %root)
  %scores = MatMul(%queries, %keys)
  %masked = Add(%scores, %mask)
  %shares = Softmax[axis = -1](%masked)
  %is_none = IsNaN(%shares)
  %guarded = Where(%is_none, %zero, %shares)
  %y = MatMul(%guarded, %v)
  return %y
})";

TEST(FuseAttention, ReadsWhatTorchExports) {
  const ir::Module apart    = ir::parse(std::string(kExported), "exported", ops::table());
  const ir::Module together = fuse_attention(apart, ops::table());
  ASSERT_EQ(together.entry().ops.size(), 1);
  const ir::Op& core = together.entry().ops[0];
  EXPECT_EQ(core.def->name, "BlockAttention");
  EXPECT_DOUBLE_EQ(core.attributes->float_or("scale", 0), 0.25);

  std::mt19937_64 random(7);
  std::vector<ir::Array> arguments = test::random_arguments(apart, random, 2);
  std::vector<float> mask(30, 0.0F);
  std::fill_n(mask.begin(), 5, -std::numeric_limits<float>::infinity());  // the first query sees nothing
  arguments[3] = ir::Array::of_floats({2, 1, 3, 5}, mask);
  EXPECT_LE(test::relative_difference(interpret::evaluate(together, 0, arguments)[0],
                                      interpret::evaluate(apart, 0, arguments)[0]),
            1e-6);
}

}  // namespace
}  // namespace foreflow::transform::fuse_attention_test
