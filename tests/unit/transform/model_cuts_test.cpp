// The cuts that a search estimates are refused as those of the pass are.
#include "transform/pipeline/model/model_cuts.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/passes.h"
#include "support/distribution.h"
#include "support/refused.h"

namespace foreflow::transform::model_cuts_test {
namespace {

using test::refused;

const std::string kTwoLayers =
    R"(func @model(%x: Tensor[Float32, (8, 16)], weight %h.0.up: Tensor[Float32, (16, 16)], weight %h.1.up: Tensor[Float32, (16, 16)], %t: Tensor[Float32, (8, 16)]) {
  %h.0.a = MatMul(%x, %h.0.up)
  %h.0.b = Relu(%h.0.a)
  %h.0.c = Tanh(%h.0.b)
  %h.0.y = Add(%h.0.c, %x)
  %h.1.a = MatMul(%h.0.y, %h.1.up)
  %h.1.b = Relu(%h.1.a)
  %h.1.c = Tanh(%h.1.b)
  %h.1.y = Add(%h.1.c, %h.0.y)
  %loss = Loss(%h.1.y, %t)
  %dy = LossGrad(%h.1.y, %t)
  %dc = TanhGrad(%h.1.c, %dy)
  %db = ReluGrad(%h.1.a, %dc)
  %dx1, %dw1 = MatMulGrad(%h.0.y, %h.1.up, %db)
  %dy0 = Add(%dx1, %dy)
  %dc0 = TanhGrad(%h.0.c, %dy0)
  %db0 = ReluGrad(%h.0.a, %dc0)
  %dx0, %dw0 = MatMulGrad(%x, %h.0.up, %db0)
  return %loss, %dw0, %dw1
}
)";

std::string refused_by_pass(const ir::Module& module, int stages) {
  return refused([&] { pipeline(module, ops::table(), test::pipeline(stages, 1)); });
}

std::string refused_by_model(const ir::Module& module, int stages) {
  const ModelledProgram program(std::make_shared<const ir::Module>(module), 1, {});
  ModelCuts cuts(program);
  const size_t prices = cuts.add_prices({});
  return refused([&] { cuts.find(test::pipeline(stages, 1), prices); });
}

TEST(ModelCuts, AreRefusedAsThoseOfThePass) {
  const ir::Module plain      = ir::parse(kTwoLayers, "m", ops::table());
  const ir::Module recomputed = apply(plain, ops::table(), "recompute");
  const std::string few_ops   = "pipeline: stages: @model has too few ops for 40 stages; use fewer";
  EXPECT_EQ(refused_by_pass(plain, 40), few_ops);
  EXPECT_EQ(refused_by_model(plain, 40), few_ops);
  const std::string few_blocks =
      "pipeline: stages: @model has too few blocks for 4 stages; use fewer, or strategy.recompute none: a block that "
      "is recomputed is not cut";
  EXPECT_EQ(refused_by_pass(recomputed, 4), few_blocks);
  EXPECT_EQ(refused_by_model(recomputed, 4), few_blocks);
  EXPECT_EQ(refused_by_model(plain, 4), "accepted");
}

}  // namespace
}  // namespace foreflow::transform::model_cuts_test
