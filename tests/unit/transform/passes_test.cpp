// What each pass writes: layouts of weights, messages, stages; and how it refuses what cannot be done.
#include "foreflow/transform/passes.h"

#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/refused.h"

namespace foreflow::transform::passes_test {
namespace {

using test::refused;
using workload::Mode;

constexpr int kLayers  = 4;
const std::string kMlp = R"({"layers": 4, "hidden": 8})";
const std::string kGpt = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";

ir::Module mlp(Mode mode = Mode::training) { return test::family("mlp", kMlp, 8, mode); }
ir::Module trained(const ir::Module& forward) {
  return resolve(add_optimizer(differentiate(forward, ops::table()), ops::table(), "sgd"));
}
ir::Module gpt() { return test::family("gpt", kGpt, 8, Mode::training); }

int count(const ir::Function& function, std::string_view op) {
  int found = 0;
  for (const ir::Op& one : function.ops) found += !one.is_call() && one.def->name == op ? 1 : 0;
  return found;
}
int count(const ir::Module& module, std::string_view op) {
  int found = 0;
  for (const ir::Function& function : module.functions) found += count(function, op);
  return found;
}

// How the parameter of this name is distributed.
std::string layout(const ir::Module& module, const Distributed& sharded, std::string_view name) {
  for (const Piece& piece : sharded.parameters) {
    if (nth(module.entry().values, piece.source).name == name) return to_string(piece.layout);
  }
  return "none";
}

TEST(Arguments, AreRefusedWhenTheyAreNoneOfTheWordsOfThePass) {
  const auto message = [](const std::string& pass) { return refused([&] { apply(mlp(), ops::table(), pass); }); };
  EXPECT_EQ(message("split_data(ways=2, experts=ture)"), "--pass: experts: \"ture\" is neither true nor false");
  EXPECT_EQ(message("shard(tp=2, sequence=yes)"), "--pass: sequence: \"yes\" is neither true nor false");
  EXPECT_EQ(message("shard(tp=2, results=spilt)"), "--pass: results: \"spilt\" is neither gather nor split");
  EXPECT_EQ(message("shard(tp=2x)"), "--pass: tp: \"2x\" is not a whole number of at least 1");
}

TEST(Shard, SplitsATransformerAsMegatronDoes) {
  for (const bool backward : {false, true}) {
    const ir::Module module   = backward ? trained(gpt()) : resolve(gpt());
    const Distributed sharded = shard(module, ops::table(), 2);
    EXPECT_EQ(layout(module, sharded, "h.1.attn.weight"), "split 1 in 3 blocks");
    EXPECT_EQ(layout(module, sharded, "h.1.attn.bias"), "split 0 in 3 blocks");
    EXPECT_EQ(layout(module, sharded, "h.1.proj.weight"), "split 0");
    EXPECT_EQ(layout(module, sharded, "h.1.proj.bias"), "whole");
    EXPECT_EQ(layout(module, sharded, "h.1.up.weight"), "split 1");
    EXPECT_EQ(layout(module, sharded, "h.1.up.bias"), "split 0");
    EXPECT_EQ(layout(module, sharded, "h.1.down.weight"), "split 0");
    EXPECT_EQ(layout(module, sharded, "h.1.ln_1.weight"), "whole");
    // Two sums a layer and direction, one after attention and one after the perceptron.
    EXPECT_EQ(count(sharded.module, "MPIAllreduce"), (backward ? 2 : 1) * 2 * kLayers);
    EXPECT_EQ(count(sharded.module, "MPIAllgather"), 0);
  }
}

TEST(Shard, AlternatesColumnsAndRowsInAPerceptron) {
  const ir::Module module   = mlp(Mode::inference);
  const Distributed sharded = shard(module, ops::table(), 4);
  EXPECT_EQ(layout(module, sharded, "w1"), "split 1");
  EXPECT_EQ(layout(module, sharded, "w2"), "split 0");
  EXPECT_EQ(layout(module, sharded, "w3"), "split 1");
  EXPECT_EQ(layout(module, sharded, "w4"), "split 0");
  EXPECT_EQ(layout(module, sharded, "x"), "whole");
  EXPECT_EQ(count(sharded.module, "MPIAllreduce"), kLayers / 2);
}

TEST(Shard, RefusesDegreesThatDivideNoWeight) {
  EXPECT_EQ(refused([] { shard(mlp(), ops::table(), 3); }),
            "mlp: @mlp: tensor parallelism of 3 splits no weight: no product has an output dimension that it divides; "
            "2, 4 or 8 divides one");
}

TEST(Shard, NamesTheOpThatKeepsWeightsWhole) {
  const auto message = [](const std::string& parameters, const std::string& body) {
    return refused([&] {
      shard(ir::parse("func @f(%x: Tensor[Float32, " + parameters + ") {\n" + body + "}", "m", ops::table()),
            ops::table(), 2);
    });
  };
  EXPECT_EQ(
      message("(8, 8)], weight %w: Tensor[Float32, (8, 8)]",
              "  %p = MatMul(%x, %w)\n  %q, %s, %z = DynamicQuantizeLinear(%p)\n  return %q\n"),
      "m:3: @f: %q, %s, %z = DynamicQuantizeLinear: needs all of %p, so tensor parallelism of 2 splits no weight");
  const std::string kernel = "Tensor[Float32, (8, 3, 3, 3)]", image = "(1, 3, 8, 8)], ";
  EXPECT_EQ(message(image + "weight %w: " + kernel, "  %a = Conv(%x, %w)\n  %b = Softmax[axis = 1](%a)\n  return %b\n"),
            "m:3: @f: %b = Softmax: needs all of %a, so tensor parallelism of 2 splits no weight");
  EXPECT_EQ(message(image + "weight %w: " + kernel + ", weight %b: Tensor[Float32, (8,)]",
                    "  %a = Conv(%x, %w, %b)\n  return %a\n"),
            "m:2: @f: %a = Conv: cannot work on one of 2 parts of its weight %w, (8, 3, 3, 3), nor can another op on "
            "those of its own, so tensor parallelism of 2 splits no weight");
  EXPECT_EQ(message("(8, 8)], %w: Tensor[UInt8, (8, 8)]",
                    "  %q, %s, %z = DynamicQuantizeLinear(%x)\n  %p = MatMulInteger(%q, %w, %z)\n  return %p\n"),
            "m: @f: tensor parallelism of 2 splits no weight: no op takes a weight");
}

TEST(Shard, RefusesDegreesThatDoNotDivideTheHeads) {
  const ir::Module module   = resolve(test::family(
        "gpt", R"({"layers": 1, "hidden": 24, "heads": 3, "sequence": 4, "vocabulary": 11})", 8, Mode::training));
  const std::string message = refused([&] { shard(module, ops::table(), 2); });
  EXPECT_NE(message.find("tensor parallelism of 2 does not divide the dimensions of (8, 4, 3, 8); use a divisor of the "
                         "number of heads"),
            std::string::npos)
      << message;
}

// A projection of queries, keys and values that is shown as [3, heads, width] and sliced: a part has some heads of
// each.
TEST(Shard, SplitsTheHeadsOfAProjectionThatIsSlicedApart) {
  const auto part = [](int64_t number) {
    const std::string n = std::to_string(number);
    return "  %p" + n + " = Slice[starts = [" + n + "], ends = [" + std::to_string(number + 1) +
           "], axes = [2]](%parts)\n  %h" + n + " = Squeeze[axes = [2]](%p" + n + ")\n";
  };
  const ir::Module module = ir::parse(
      "func @f(weight %w: Tensor[Float32, (8, 24)], %x: Tensor[Float32, (2, 5, 8)]) {\n"
      "  %qkv = MatMul(%x, %w)\n  %parts = Reshape[shape = [2, 5, 3, 4, 2]](%qkv)\n" +
          part(0) + part(1) + part(2) + "  %sum = Add(%h0, %h1)\n  %y = Mul(%sum, %h2)\n  return %y\n}",
      "m", ops::table());
  const Distributed halves = shard(resolve(module), ops::table(), 2);
  ASSERT_FALSE(halves.parameters.empty());
  EXPECT_EQ(to_string(halves.parameters[0].layout), "split 1 in 3 blocks");
}

TEST(Shard, RefusesProgramsWithCalls) {
  const ir::Module called =
      ir::parse("func @g(%x) {\n  return %x\n}\nfunc @f(%x: Tensor[Float32, (4,)]) {\n  %y = @g(%x)\n  return %y\n}",
                "m", ops::table());
  EXPECT_EQ(refused([&] { shard(called, ops::table(), 2); }),
            "m:5: @f: %y = @g: shard works on a program without calls");
}

Distributed pipelined(const ir::Module& module, int stages, int microbatches) {
  return pipeline(shard(module, ops::table(), 1).module, ops::table(), test::pipeline(stages, microbatches));
}

TEST(Pipeline, CutsBetweenLayersOfEqualWork) {
  const ir::Module cut = pipelined(trained(mlp()), 2, 4).module;
  for (const std::string stage : {"stage1", "stage2"}) {
    EXPECT_EQ(count(*cut.find(stage + "_forward"), "MatMul"), kLayers / 2) << stage;
    EXPECT_EQ(count(*cut.find(stage + "_forward"), "Relu"), kLayers / 2) << stage;
    EXPECT_EQ(count(*cut.find(stage + "_backward"), "ReluGrad"), kLayers / 2) << stage;
  }
  EXPECT_EQ(count(*cut.find("stage2_forward"), "Loss"), 1);
}

TEST(Pipeline, SendsOneActivationAndOneGradientAMicrobatchAcrossEachCut) {
  for (const int stages : {2, 4}) {
    for (const int microbatches : {1, 2, 8}) {
      const ir::Module cut = pipelined(trained(mlp()), stages, microbatches).module;
      EXPECT_EQ(count(cut, "Send"), 2 * (stages - 1) * microbatches) << stages << " stages";
      const ir::Module forward = pipelined(mlp(Mode::inference), stages, microbatches).module;
      EXPECT_EQ(count(forward, "Send"), (stages - 1) * microbatches) << stages << " stages";
    }
  }
}

// Of gradients too: the rows of one, which the halves of a backward read, are made where they are read.
TEST(Pipeline, SendsNoMoreWhereBackwardsAreSplit) {
  for (const char* schedule : {"1f1b", "zb_h1"}) {
    Pipeline wanted               = test::pipeline(2, 4, schedule);
    wanted.delay_weight_gradients = schedule == std::string("1f1b");
    const ir::Module cut = pipeline(shard(trained(gpt()), ops::table(), 1).module, ops::table(), wanted).module;
    EXPECT_GT(count(cut, "Gemm"), 0);
    EXPECT_EQ(count(cut, "Send"), count(pipelined(trained(gpt()), 2, 4).module, "Send")) << schedule;
  }
}

TEST(Pipeline, TakesAProgramOnNoDeviceAsOneOnTheFirst) {
  const ir::Module cut = pipeline(trained(mlp()), ops::table(), test::pipeline(2, 4)).module;
  EXPECT_EQ(ir::print(cut), ir::print(pipelined(trained(mlp()), 2, 4).module));
}

TEST(Pipeline, RefusesMicrobatchesThatDoNotDivideTheBatch) {
  EXPECT_EQ(refused([] { pipelined(mlp(), 2, 3); }),
            "mlp: @mlp: %x: Tensor[Float32, (8, 8), 1] cannot be split evenly over 3 microbatches; a multiple of 3 can "
            "(\"global_batch\" repeats a model of fixed batch)");
}

// Past keys and values [2,b,..] have their batch behind; tables are every sample's.
TEST(Pipeline, FindsTheSamplesOfDataWhoseFirstDimensionsDiffer) {
  const ir::Module module = ir::parse(
      "func @f(%past: Tensor[Float32, (2, 4, 3)], %table: Tensor[Float32, (6, 3)], %ids: Tensor[Int64, (4, 3)]) {\n"
      "  %row = Gather[axis = 0](%table, %ids)\n  %sum = ReduceSum[axes = [1], keepdims = 0](%row)\n"
      "  %keys, %values = Split[axis = 0](%past)\n  %first = Squeeze[axes = [0]](%keys)\n  %y = Add(%sum, %first)\n  "
      "return %y\n}",
      "m", ops::table());
  const auto parameters = pipelined(module, 1, 2).parameters;
  std::vector<std::string> layouts;
  for (const Piece& parameter : parameters) layouts.push_back(to_string(parameter.layout));
  EXPECT_EQ(layouts, (std::vector<std::string>{"split 1", "split 1", "whole", "split 0", "split 0"}));
  EXPECT_EQ(refused([&] { pipelined(module, 1, 3); }),
            "m: @f: %past: Tensor[Float32, (2, 4, 3), 1] cannot be split evenly over 3 microbatches; a multiple of 3 "
            "can (\"global_batch\" repeats a model of fixed batch)");
}

TEST(Pipeline, KeepsTheDevicesOfAGroupTogether) {
  // One and a half layers a stage, and an output layer: cuts lie where the copies of an op on a group's devices end.
  const auto gpt = test::family("gpt", R"({"layers": 6, "hidden": 16, "heads": 8, "sequence": 4, "vocabulary": 400})",
                                8, Mode::training);
  const ir::Module sharded = shard(trained(gpt), ops::table(), 8).module;
  for (const int stages : {2, 3, 4, 5}) {
    const Distributed cut = pipeline(sharded, ops::table(), test::pipeline(stages, 2));
    for (const ir::Function& function : cut.module.functions) {
      if (function.name.ends_with("forward")) {
        EXPECT_EQ(count(function, "MatMul") % 8, 0) << function.name << " of " << stages;
      }
    }
  }
}

TEST(Pipeline, RefusesMoreStagesThanThereAreOps) {
  EXPECT_EQ(refused([] { pipelined(mlp(), 10, 1); }),
            "pipeline: stages: @mlp has too few ops for 10 stages; use fewer");
}

TEST(Replicate, SumsEachGradientOnce) {
  const ir::Module module = replicate(shard(trained(mlp()), ops::table(), 1).module, ops::table(), {.ways = 2}).module;
  EXPECT_EQ(count(module, "MPIAllreduce"), kLayers);
  EXPECT_EQ(count(module, "SGDOptimizer"), 2);
}

TEST(Replicate, CallsOneFunctionForWhatReplicasDoBeforeTheyMeet) {
  const ir::Module module = replicate(shard(trained(mlp()), ops::table(), 2).module, ops::table(), {.ways = 4}).module;
  ASSERT_EQ(module.functions.size(), 2U);
  EXPECT_EQ(module.functions[0].name, "mlp_replica");
  EXPECT_EQ(count(module.functions[0], "MatMul"), 2 * kLayers);  // one for each device of a replica
  std::vector<std::string> devices;
  for (const ir::Op& op : module.entry().ops) {
    if (op.is_call()) devices.push_back(ir::to_string(*op.attributes->find("devices")));
  }
  EXPECT_EQ(devices, (std::vector<std::string>{"[1, 2]", "[3, 4]", "[5, 6]", "[7, 8]"}));
}

TEST(Replicate, RefusesReplicasThatDoNotDivideTheBatch) {
  EXPECT_EQ(refused([] { replicate(mlp(), ops::table(), {.ways = 3}); }),
            "mlp: @mlp: %x: Tensor[Float32, (8, 8)] cannot be split evenly over 3 replicas; a multiple of 3 can "
            "(\"global_batch\" repeats a model of fixed batch)");
}

TEST(Resolve, WritesShapesThatHoldForAnySplit) {
  const ir::Module module = ir::parse(
      "func @f(%x: Tensor[Float32, (4, 16, 96)]) {\n  %s = Shape(%x)\n  %i = Constant[value = Int64(1,)[2]]()\n"
      "  %h = Gather[axis = 0](%s, %i)\n  %r = Constant[value = Int64(1,)[-1]]()\n"
      "  %t = Concat[axis = 0](%r, %h)\n  %rows = Reshape(%x, %t)\n"
      "  %k = Constant[value = Int64(4,)[4, 16, 8, 12]]()\n  %heads = Reshape(%x, %k)\n  return %rows, %heads\n}",
      "m", ops::table());
  EXPECT_EQ(ir::print(eliminate_dead_code(resolve(module))),
            "func @f(%x: Tensor[Float32, (4, 16, 96)]) {\n  %rows = Reshape[shape = [-1, 96]](%x)\n"
            "  %heads = Reshape[shape = [0, 0, -1, 12]](%x)\n  return %rows, %heads\n}\n");
}

// Attention between the samples: the shapes of a microbatch do not even fit each other.
TEST(Pipeline, SaysWhichOpNeedsTheWholeBatchAlsoWhereOpsHavePrices) {
  const ir::Module module = shard(ir::parse("func @f(%x: Tensor[Float32, (8, 2)], %y: Tensor[Float32, (8, 2)]) {\n"
                                            "  %t = Transpose[perm = [1, 0]](%y)\n  %s = MatMul(%x, %t)\n"
                                            "  %z = MatMul(%s, %y)\n  return %z\n}",
                                            "m", ops::table()),
                                  ops::table(), 1)
                                .module;
  Pipeline wanted  = test::pipeline(1, 4);
  wanted.prices.op = [](const ir::OpCall& call, std::span<const ir::Type> outputs) {
    return Seconds(call.def.work(call, outputs).flops.value());
  };
  EXPECT_EQ(
      refused([&] { pipeline(module, ops::table(), wanted); }),
      "m: @f: %s = MatMul: needs the whole batch at once, because its operands count samples along different "
      "dimensions, dimension 0 of %x and dimension 1 of %t, so each sample meets every other, so the batch cannot "
      "be split over microbatches");
}

// A causal mask that an export stretches to its batch, and one that depends on the data.
TEST(Resolve, LeavesStretchingToWhoeverReads) {
  const ir::Module module = ir::parse(
      "func @f(%x: Tensor[Bool, (4, 1, 2)]) {\n  %k = Constant[value = Int64(3,)[4, 2, 2]]()\n"
      "  %wide = Expand(%x, %k)\n  %causal = Constant[value = Bool(1, 2, 2)[0, 1, 0, 0]]()\n"
      "  %mask = Expand(%causal, %k)\n  %y = Or(%wide, %mask)\n  return %y\n}",
      "m", ops::table());
  const ir::Module resolved = eliminate_dead_code(resolve(module));
  EXPECT_EQ(ir::print(resolved),
            "func @f(%x: Tensor[Bool, (4, 1, 2)]) {\n  %wide = Expand[shape = [1, 2, 1]](%x)\n"
            "  %v2 = Constant[value = Bool(1, 2, 2)[0, 1, 0, 0]]()\n  %y = Or(%wide, %v2)\n  return %y\n}\n");
  EXPECT_EQ(pipelined(resolved, 1, 4).parameters.size(), 4U);
  EXPECT_EQ(
      refused([&] { pipelined(module, 1, 4); }),
      "m: @f: %wide = Expand: needs the whole batch at once, because samples are counted along dimension 0 of %x, "
      "and the shape that it makes is stated for the whole batch, so the batch cannot be split over microbatches");
}

// Too many elements to be known; a mask of the whole batch, and one that each sample shares.
TEST(Resolve, StatesTheShapeOfWhatIsFilledWithOneNumber) {
  const ir::Module module = ir::parse(
      "func @f(%x: Tensor[Float32, (4, 64, 64)]) {\n  %s = Shape(%x)\n  %far = ConstantOfShape(%s)\n"
      "  %wide = Add(%x, %far)\n  %p = Shape[start = 1](%x)\n  %square = ConstantOfShape(%p)\n"
      "  %y = Add(%wide, %square)\n  return %y\n}",
      "m", ops::table());
  const ir::Module resolved = eliminate_dead_code(resolve(module));
  EXPECT_EQ(ir::print(resolved),
            "func @f(%x: Tensor[Float32, (4, 64, 64)]) {\n  %v1 = ConstantOfShape[shape = [1, 64, 64]]()\n"
            "  %wide = Add(%x, %v1)\n  %square = ConstantOfShape[shape = [64, 64]]()\n"
            "  %y = Add(%wide, %square)\n  return %y\n}\n");
  EXPECT_EQ(pipelined(resolved, 1, 4).parameters.size(), 4U);
}

TEST(EliminateDeadCode, KeepsOptimizersAndMessages) {
  const ir::Module module = ir::parse(
      "func @f(weight %w: Tensor[Float32, (4,), 1], %d: Tensor[Float32, (4,), 1]) {\n  %dead = Relu(%d)\n"
      "  _ = SGDOptimizer(%w, %d)\n  _ = Send(%d, 2)\n  return %d\n}",
      "m", ops::table());
  const ir::Module left = eliminate_dead_code(module);
  EXPECT_EQ(count(left, "Relu"), 0);
  EXPECT_EQ(count(left, "SGDOptimizer"), 1);
  EXPECT_EQ(count(left, "Send"), 1);
}

TEST(AddOptimizer, RefusesWhatItCannotDo) {
  EXPECT_EQ(refused([] { add_optimizer(mlp(), ops::table(), "sgd"); }),
            "mlp: @mlp: has no gradients to optimize with; differentiate it first");
  EXPECT_EQ(refused([] { add_optimizer(differentiate(mlp(), ops::table()), ops::table(), "adagrad"); }),
            "optimizer: unknown optimizer \"adagrad\"; use sgd, momentum, nesterov, adam or adamw");
}

// "w1.m: Float32, ..": what an optimizer keeps for the first weight of an MLP whose numbers are `dtype`.
std::string kept_for_w1(ir::DType dtype, std::string_view optimizer, bool masters) {
  const ir::Module forward = test::family("mlp", R"({"layers": 2, "hidden": 8})", 4, Mode::training, dtype);
  const ir::Module module =
      add_optimizer(differentiate(forward, ops::table()), ops::table(), optimizer, {.master_weights = masters});
  const ir::Function& function = module.entry();
  std::string kept;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& value = function.values[i];
    if (!value.name.starts_with("w1.")) continue;
    EXPECT_EQ(function.parameters[i], ir::ParameterRole::weight);
    EXPECT_EQ(value.annotation->dims, (ir::Dims{8, 8}));
    kept += (kept.empty() ? "" : ", ") + value.name + ": " + std::string(ir::name(value.annotation->dtype));
  }
  return kept;
}

TEST(AddOptimizer, KeepsStatesAsWeightsOfTheProgram) {
  using enum ir::DType;
  EXPECT_EQ(kept_for_w1(f32, "sgd", true), "");
  EXPECT_EQ(kept_for_w1(f32, "nesterov", true), "w1.velocity: Float32");
  EXPECT_EQ(kept_for_w1(f16, "sgd", false), "");
  EXPECT_EQ(kept_for_w1(f16, "adam", false), "w1.m: Float16, w1.v: Float16");
}

TEST(AddOptimizer, KeepsStatesAndMasterWeightsOfShortFloatsInFloat32) {
  using enum ir::DType;
  EXPECT_EQ(kept_for_w1(f16, "sgd", true), "w1.master: Float32");
  EXPECT_EQ(kept_for_w1(bf16, "momentum", true), "w1.velocity: Float32, w1.master: Float32");
  EXPECT_EQ(kept_for_w1(f8, "adamw", true), "w1.m: Float32, w1.v: Float32, w1.master: Float32");
}

TEST(AddOptimizer, ConvertsGradientsOfShortFloatsWhereItShould) {
  const ir::Module forward = test::family("mlp", R"({"layers": 2, "hidden": 8})", 4, Mode::training, ir::DType::f16);
  const ir::Module module  = differentiate(forward, ops::table());
  EXPECT_EQ(count(add_optimizer(module, ops::table(), "adam", {.float_gradients = true}), "Cast"), 2);
  EXPECT_EQ(count(add_optimizer(module, ops::table(), "adam"), "Cast"), 0);
  EXPECT_EQ(
      count(add_optimizer(differentiate(mlp(), ops::table()), ops::table(), "sgd", {.float_gradients = true}), "Cast"),
      0);
}

TEST(Apply, ReadsAPassWithItsArguments) {
  const ir::Module sharded = apply(mlp(Mode::inference), ops::table(), "shard(tp=2, results=split)");
  EXPECT_TRUE(ir::same_program(sharded,
                               shard(mlp(Mode::inference), ops::table(), 2, {.results = Results::leave_split}).module));
}

TEST(Apply, RefusesUnknownPassesAndArguments) {
  const auto applied = [](std::string_view pass) { return refused([&] { apply(mlp(), ops::table(), pass); }); };
  EXPECT_EQ(applied("shrad(tp=2)"),
            "--pass \"shrad(tp=2)\": unknown pass \"shrad\"; the nearest is \"shard\" (see: "
            "foreflow list passes)");
  EXPECT_EQ(applied("resolve(tp=2)"), "--pass \"resolve(tp=2)\": unknown argument \"tp\"; this pass takes none");
  EXPECT_EQ(applied("shard(tp=two)"), "--pass: tp: \"two\" is not a whole number of at least 1");
  EXPECT_EQ(applied("shard(tp=0)"), "--pass: tp: \"0\" is not a whole number of at least 1");
}

}  // namespace
}  // namespace foreflow::transform::passes_test
