// What fused kernels make again instead of keeping it.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/recompute.h"
#include "support/distribution.h"

namespace foreflow::transform::fused_values_test {
namespace {

ir::Module trained(const std::string& family) {
  return differentiate(test::family(family, R"({"layers": 3, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 7})",
                                    2, workload::Mode::training),
                       ops::table());
}

int64_t repeated(const ir::Module& module) {
  const auto& ops = module.entry().ops;
  return std::count_if(ops.begin(), ops.end(),
                       [](const ir::Op& op) { return op.attributes->find(kRecompute) != nullptr; });
}

// silu(gate), between the product with the gate's weight and the product of gate and up.
TEST(FusedValues, AreOneForEachSwiGlu) {
  EXPECT_EQ(repeated(recompute(trained("llama"), ops::table(), {}, 1, true)), 3);
  EXPECT_EQ(repeated(recompute(trained("llama"), ops::table(), {}, 1, false)), 0);
}

// The result of GELU is an operand of a product, which needs it.
TEST(FusedValues, AreNotReadByProducts) {
  EXPECT_EQ(repeated(recompute(trained("gpt"), ops::table(), {}, 1, true)), 0);
}

TEST(FusedValues, AreLeftToSegmentsThatAreRepeatedAnyway) {
  const Recompute full{Recompute::Kind::blocks, 1};
  EXPECT_EQ(repeated(recompute(trained("llama"), ops::table(), full, 1, true)),
            repeated(recompute(trained("llama"), ops::table(), full, 1, false)));
}

}  // namespace
}  // namespace foreflow::transform::fused_values_test
