// What fused kernels make again instead of keeping it.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/nth.h"
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

// Of each layer the result of GELU, or silu(gate) and its product with up, whether or not kernels are fused.
TEST(ActivationResults, AreMadeAgainForProducts) {
  const Recompute how{Recompute::Kind::activation};
  EXPECT_EQ(repeated(recompute(trained("gpt"), ops::table(), how)), 3);
  for (const bool fused : {false, true})
    EXPECT_EQ(repeated(recompute(trained("llama"), ops::table(), how, 1, fused)), 6);
}

// Nothing in the backward pass reads a result of the forward pass that products read, but for their operands.
TEST(ActivationResults, AreNotKept) {
  const ir::Module module = recompute(trained("llama"), ops::table(), {Recompute::Kind::activation}, 1, true);
  const ir::Function& f   = module.entry();
  std::vector<int32_t> maker(f.values.size(), -1);
  for (size_t o = 0; o < f.ops.size(); ++o) {
    for (uint32_t i = 0; i < f.ops[o].result_count; ++i) maker[f.ops[o].first_result + i] = static_cast<int32_t>(o);
  }
  bool backward = false;
  for (const ir::Op& op : f.ops) {
    backward = backward || op.def->role == ir::Role::loss_gradient;
    for (const ir::ValueId id : f.inputs(op)) {
      if (!backward || id == ir::ValueId::none || maker[ir::index(id)] < 0) continue;
      const ir::Op& made = nth(f.ops, maker[ir::index(id)]);
      EXPECT_TRUE(made.attributes->find(kSegment) == nullptr) << f.value(id).name;
    }
  }
}

}  // namespace
}  // namespace foreflow::transform::fused_values_test
