// Attention that drops probabilities becomes one op, which computes what its ops did with the same numbers.
#include <gtest/gtest.h>

#include <random>

#include "foreflow/base/refusal.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::transform::fuse_dropout_test {
namespace {

struct Family {
  const char* name;
  const char* sizes;
  int64_t cores;
};

class DroppedCores : public testing::TestWithParam<Family> {};

TEST_P(DroppedCores, GiveTheLossAndTheGradientsOfTheirOps) {
  const auto trained = [](const ir::Module& forward) {
    return eliminate_dead_code(resolve(differentiate(forward, ops::table())));
  };
  const ir::Module forward = resolve(test::family(GetParam().name, GetParam().sizes, 2, workload::Mode::training));
  const ir::Module apart = trained(forward), together = trained(fuse_attention(forward, ops::table()));
  int64_t cores = 0, softmaxes = 0;
  for (const ir::Op& op : together.entry().ops) {
    if (op.def->softmax == ir::Softmax::plain) ++softmaxes;
    if (op.def->name != "BlockAttention") continue;
    ++cores;
    EXPECT_FLOAT_EQ(op.attributes->float_or("dropout", 0), 0.3);
  }
  EXPECT_EQ(cores, GetParam().cores);
  EXPECT_EQ(softmaxes, 0);

  std::mt19937_64 random(11);
  const auto arguments = test::random_arguments(apart, random, 2);
  const auto expected  = interpret::evaluate(apart, apart.functions.size() - 1, arguments);
  const auto results   = interpret::evaluate(together, together.functions.size() - 1, arguments);
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_LE(test::relative_difference(results[i], expected[i]), 1e-4) << "result " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Families, DroppedCores,
    testing::Values(
        Family{"gpt", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11, "dropout": 0.3})", 2},
        Family{"bert", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11, "dropout": 0.3})",
               2},
        Family{"t5", R"({"layers": 1, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11, "dropout": 0.3})", 3}),
    [](const auto& info) { return info.param.name; });

// The core between `%p`, its probabilities, and the product of `%left` with the values.
std::string core(const std::string& between, const std::string& also_returned = "") {
  return R"(
func @main(%q: Tensor[Float32, (2, 4, 3, 8)], %k: Tensor[Float32, (2, 4, 8, 5)], %v: Tensor[Float32, (2, 4, 5, 8)]) {
  %ratio = Constant[value = Float32()[0.25]]()
  %yes = Constant[value = Bool()[1]]()
  %no = Constant[value = Bool()[0]]()
  %scores = MatMul(%q, %k)
  %p = Softmax[axis = -1](%scores)
)" + between +
         R"(
  %y = MatMul(%left, %v)
  return %y)" +
         also_returned + "\n}\n";
}

std::string refusal(const std::string& text) {
  try {
    fuse_attention(ir::parse(text, "core", ops::table()), ops::table());
  } catch (const RefusalError& error) {
    return error.what();
  }
  return "";
}

TEST(DroppedCore, OfInferenceDropsNothing) {
  for (const char* between : {"  %left = Dropout(%p)", "  %left, %mask = Dropout(%p, %ratio, %no)"}) {
    const ir::Module together = fuse_attention(ir::parse(core(between), "core", ops::table()), ops::table());
    ASSERT_EQ(together.entry().ops.back().def->name, "BlockAttention") << between;
    EXPECT_EQ(together.entry().ops.back().attributes->find("dropout"), nullptr);
  }
}

TEST(DroppedCore, IsLeftWhereOneOpCannotStand) {
  EXPECT_NE(refusal(core("  %left, %mask = Dropout[seed = 3](%p, %ratio, %yes)", ", %mask"))
                .find("only one Dropout of a known ratio, of which nothing else reads the mask, can stand"),
            std::string::npos);
  EXPECT_NE(refusal(core("  %half = Dropout[seed = 3](%p, %ratio, %yes)\n"
                         "  %left = Dropout[seed = 4](%half, %ratio, %yes)"))
                .find("only one Dropout"),
            std::string::npos);
  EXPECT_NE(refusal(core("  %left = Mul(%p, %ratio)")).find("a Mul of probabilities cannot stand"), std::string::npos);
}

}  // namespace
}  // namespace foreflow::transform::fuse_dropout_test
