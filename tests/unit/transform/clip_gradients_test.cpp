// Gradients that are clipped: the factor against numbers by hand, and what the pass writes.
#include "foreflow/transform/clip_gradients.h"

#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/refused.h"

namespace foreflow::transform::clip_gradients_test {
namespace {

using test::refused;

ir::Module parsed(const std::string& text) { return ir::parse(text, "f", ops::table()); }

// Two weights with the gradients (3, 0) and (0, 4), whose norm is 5, and a learning rate of 1.
std::vector<ir::Array> updated(double max_norm) {
  const ir::Module module = parsed(
      "func @f(weight %a: Tensor[Float32, (2,)], weight %b: Tensor[Float32, (2,)], %g: Tensor[Float32, (2,)], "
      "%h: Tensor[Float32, (2,)]) {\n"
      "  %x = Optimizer[lr = 1.0](%a, %g)\n"
      "  %y = Optimizer[lr = 1.0](%b, %h)\n"
      "  return %x, %y\n}\n");
  const ir::Module clipped = clip_gradients(module, ops::table(), {.max_norm = max_norm});
  return interpret::evaluate(clipped, 0,
                             {ir::Array::of_floats({2}, {10, 20}), ir::Array::of_floats({2}, {30, 40}),
                              ir::Array::of_floats({2}, {3, 0}), ir::Array::of_floats({2}, {0, 4})});
}

TEST(ClipGradients, ScalesAllGradientsByTheFactorOfTheirCommonNorm) {
  const double factor = 2 / (5 + 1e-6);
  const auto weights  = updated(2);
  EXPECT_FLOAT_EQ(weights[0].at(0), 10 - 3 * factor);
  EXPECT_FLOAT_EQ(weights[0].at(1), 20);
  EXPECT_FLOAT_EQ(weights[1].at(0), 30);
  EXPECT_FLOAT_EQ(weights[1].at(1), 40 - 4 * factor);
}

TEST(ClipGradients, LeavesGradientsOfASmallerNorm) {
  const auto weights = updated(5.1);
  EXPECT_EQ(weights[0].at(0), 7);
  EXPECT_EQ(weights[1].at(1), 36);
}

std::vector<std::string> ops_of(const ir::Function& function) {
  std::vector<std::string> names;
  for (const ir::Op& op : function.ops) names.emplace_back(op.is_call() ? "call" : op.def->name);
  return names;
}

TEST(ClipGradients, IsTwoOpsHoweverManyWeightsThereAre) {
  const ir::Module forward = test::family("mlp", R"({"layers": 40, "hidden": 8})", 8, workload::Mode::training);
  const ir::Module step    = resolve(add_optimizer(differentiate(forward, ops::table()), ops::table(), "adam"));
  EXPECT_EQ(clip_gradients(step, ops::table(), {}).entry().ops.size(), step.entry().ops.size() + 2);
}

// The optimizer of the first bucket would otherwise run before the gradients of the second one are summed.
TEST(ClipGradients, StandsBetweenTheLastGradientAndTheFirstUpdate) {
  const ir::Module forward = test::family("mlp", R"({"layers": 4, "hidden": 8})", 8, workload::Mode::training);
  const ir::Module step    = resolve(add_optimizer(differentiate(forward, ops::table()), ops::table(), "adam"));
  for (const int zero : {0, 1, 2, 3}) {
    const DataParallel how{.ways = 2, .zero = zero, .overlap = true};
    const OneReplica one = one_replica(step, ops::table(), how);
    const auto names =
        ops_of(clip_gradients(one.module, ops::table(), {.replicas = one.ways, .held = one.parameters}).entry());
    const auto at = [&](const char* name) { return std::find(names.begin(), names.end(), name); };
    EXPECT_LT(at("SquaredNorm"), at("ClipGradients"));
    EXPECT_LT(at("ClipGradients"), at("AdamOptimizer"));
    const char* sums = zero == 0 ? "MPIAllreduce" : "MPIReduceScatter";
    EXPECT_EQ(std::find(at("ClipGradients"), names.end(), sums), names.end());
    // Rows of gradients are added up over the replicas, whole ones are not.
    EXPECT_EQ(std::find(at("SquaredNorm"), at("ClipGradients"), "MPIAllreduce") != at("ClipGradients"), zero > 0);
  }
}

TEST(ClipGradients, CountsAWeightOnceThatSeveralDevicesHold) {
  const Piece whole{.source = 0, .layout = Layout::whole(), .ways = 2, .index = 0};
  const Piece half{.source = 1, .layout = Layout::split(0), .ways = 2, .index = 0};
  Piece other_whole = whole, other_half = half;
  other_whole.index = other_half.index = 1;
  const std::vector<HeldPart> parts    = held_parts({{whole, other_whole, half, other_half}});
  EXPECT_EQ(parts[0].share + parts[1].share, 2);
  EXPECT_EQ(parts[2].share + parts[3].share, 1);
  // The second of eight shards stands for seven.
  Piece eighth = half, others = other_half;
  eighth.ways = others.ways      = 8;
  const std::vector<HeldPart> of = held_parts({{whole, other_whole, eighth, others}}, {.shards = 8});
  EXPECT_EQ(of[0].share + of[1].share, 8);
  EXPECT_EQ(of[2].share + of[3].share, 1);
}

TEST(ClipGradients, RefusesWhatHasNoNormOfOneStep) {
  const std::string two =
      "func @f(weight %a: Tensor[Float32, (2,)], %g: Tensor[Float32, (2,)], weight %b: Tensor[Float32, (2,)]) {\n"
      "  %x = Optimizer(%a, %g)\n"
      "  %h = Mul(%x, %g)\n"
      "  %y = Optimizer(%b, %h)\n"
      "  return %x, %y\n}\n";
  EXPECT_EQ(apply(parsed(two), ops::table(), "clip_gradients").entry().ops.size(), 5U);  // the second one assigns
  EXPECT_EQ(refused([&] { apply(parsed(two), ops::table(), "clip_gradients(max_norm=none)"); }),
            "--pass clip_gradients: max_norm: \"none\" is no norm; a number above 0 would be right");
  EXPECT_EQ(refused([&] {
              apply(parsed("func @f(%a: Tensor[Float32, (2,), 1]) {\n  %b = Send(%a, 2)\n  return %b\n}\n"),
                    ops::table(), "clip_gradients");
            }),
            "f:2: @f: %b = Send: communicates; the pass clip_gradients is for programs of one device, and the key "
            "workload.clip_gradients of a scenario for others");
  EXPECT_EQ(refused([] {
              clip_gradients(parsed("func @g(%a) {\n  %b = Relu(%a)\n  return %b\n}\n"
                                    "func @f(weight %a: Tensor[Float32, (2,)], %g: Tensor[Float32, (2,)]) {\n"
                                    "  %b = @g(%a)\n  %x = Optimizer(%b, %g)\n  return %x\n}\n"),
                             ops::table(), {});
            }),
            "f:7: @f: %x = Optimizer: updates %b; gradients are clipped where parameters are updated");
}

}  // namespace
}  // namespace foreflow::transform::clip_gradients_test
