// What the pass writes for calls, which parameters it trains, which losses it adds, and what it refuses.
#include <gtest/gtest.h>

#include <functional>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"

namespace foreflow::transform::differentiate_test {
namespace {

ir::Module parsed(const std::string& text) { return ir::parse(text, "m", ops::table()); }

std::string refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> function_names(const ir::Module& module) {
  std::vector<std::string> names;
  for (const ir::Function& function : module.functions) names.push_back(function.name);
  return names;
}

std::vector<std::string> weight_names(const ir::Module& module) {
  std::vector<std::string> names;
  const ir::Function& entry = module.entry();
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (entry.parameters[i] == ir::ParameterRole::weight) names.push_back(entry.values[i].name);
  }
  return names;
}

// `layers` calls of one function, each with weights of its own.
ir::Module tower(int layers) {
  std::string text =
      "func @layer(%x, weight %w) {\n  %p = MatMul(%x, %w)\n  %y = Tanh(%p)\n  return %y\n}\nfunc @main(";
  std::string body;
  for (int i = 0; i < layers; ++i) {
    const std::string number = std::to_string(i), before = i == 0 ? "x" : "a" + std::to_string(i - 1);
    text += "weight %w" + number + ": Tensor[Float32, (4, 4)], ";
    body += "  %a" + number + " = @layer(%" + before + ", %w" + number + ")\n";
  }
  const std::string last = "a" + std::to_string(layers - 1);
  return parsed(text + "%x: Tensor[Float32, (2, 4)], %t: Tensor[Float32, (2, 4)]) {\n" + body + "  %l = Loss(%" + last +
                ", %t)\n  return %l\n}");
}

size_t calls(const ir::Module& module, std::string_view callee) {
  size_t count = 0;
  for (const ir::Op& op : module.entry().ops) {
    if (op.is_call() && nth(module.functions, op.callee).name == callee) ++count;
  }
  return count;
}

TEST(Differentiate, WritesOnePairOfFunctionsForAllCallsAlike) {
  const ir::Module module = differentiate(tower(96), ops::table());
  // The first layer's input wants no gradient, so that call is not like the others.
  EXPECT_EQ(function_names(module), (std::vector<std::string>{"layer_forward", "layer_backward", "layer_forward_2",
                                                              "layer_backward_2", "main"}));
  EXPECT_EQ(calls(module, "layer_backward_2"), 95U);
  EXPECT_EQ(module.functions.back().results.size(), 97U);
}

TEST(Differentiate, LeavesCallsAloneThatNoWeightReaches) {
  const ir::Module module = differentiate(
      parsed("func @twice(%x) {\n  %y = Add(%x, %x)\n  return %y\n}\n"
             "func @main(weight %w: Tensor[Float32, (4,)], %x: Tensor[Float32, (4,)]) {\n  %a = @twice(%x)\n"
             "  %b = Mul(%a, %w)\n  %l = ReduceSum(%b)\n  return %l\n}"),
      ops::table());
  EXPECT_EQ(function_names(module), (std::vector<std::string>{"twice", "main"}));
}

TEST(Differentiate, PassesGradientsThatAFunctionOnlyHandsOnAroundIt) {
  const ir::Module module = differentiate(
      parsed("func @plus(%x, weight %w) {\n  %y = Add(%x, %w)\n  return %y\n}\n"
             "func @main(weight %w: Tensor[Float32, (4,)], %x: Tensor[Float32, (4,)]) {\n  %a = @plus(%x, %w)\n"
             "  %b = Mul(%a, %a)\n  return %b\n}"),
      ops::table());
  EXPECT_EQ(function_names(module), (std::vector<std::string>{"plus_forward", "main"}));
}

// What the backward pass reads is kept. What follows Relu keeps its result anyway; PyTorch saves nothing else.
TEST(Differentiate, ReadsTheResultOfReluAlone) {
  const auto read = [](const std::string& attributes) {
    const ir::Module module =
        differentiate(parsed("func @f(weight %w: Tensor[Float32, (4, 4)], %x: Tensor[Float32, (2, 4)]) {\n"
                             "  %z = MatMul(%x, %w)\n  %a = Relu" +
                             attributes + "(%z)\n  %l = ReduceSum[keepdims = 0](%a)\n  return %l\n}"),
                      ops::table());
    for (const ir::Op& op : module.entry().ops) {
      if (op.def->name == "ReluGrad") return module.entry().value(module.entry().inputs(op)[0]).name;
    }
    return std::string();
  };
  EXPECT_EQ(read(""), "a");
  EXPECT_EQ(read("[keeps_input = 1]"), "z") << "as in programs of the DistIR authors";
}

constexpr const char* kNormalized =
    "func @f(weight %w: Tensor[Float32, (3,)], weight %b: Tensor[Float32, (3,)], weight %m: Tensor[Float32, (3,)], "
    "weight %v: Tensor[Float32, (3,)], %x: Tensor[Float32, (2, 3)]) {\n  %y = BatchNormalization(%x, %w, %b, %m, %v)\n"
    "  return %y\n}";

TEST(Differentiate, TrainsWeightsButNotRunningStatistics) {
  EXPECT_EQ(differentiate(parsed(kNormalized), ops::table()).entry().results.size(), 1 + 2U);
  const ir::Module trained = add_optimizer(differentiate(parsed(kNormalized), ops::table()), ops::table(), "adam");
  EXPECT_EQ(weight_names(trained), (std::vector<std::string>{"w", "b", "m", "v", "w.m", "w.v", "b.m", "b.v"}));
}

// As GPT-2 is exported, with 1000 or more in place of `penalty`.
std::string masked(const std::string& penalty) {
  return "func @f(%x: Tensor[Float32, (4, 4)], weight %w: Tensor[Float32, (4, 4)], weight %m: Tensor[Float32, (9, 4)]) "
         "{\n  %s = MatMul(%x, %w)\n  %part = Slice[axes = [0], ends = [4], starts = [0]](%m)\n"
         "  %kept = Mul(%s, %part)\n  %one = Constant[value = Float32()[1]]()\n  %hidden = Sub(%one, %part)\n"
         "  %much = Constant[value = Float32()[" +
         penalty +
         "]]()\n  %penalty = Mul(%hidden, %much)\n  %scores = Sub(%kept, %penalty)\n"
         "  %loss = ReduceSum[keepdims = 0](%scores)\n  return %loss\n}";
}

TEST(Differentiate, DoesNotTrainMasks) {
  EXPECT_EQ(mask_weights(parsed(masked("10000"))), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(differentiate(parsed(masked("10000")), ops::table()).entry().results.size(), 2U);
  EXPECT_EQ(mask_weights(parsed(masked("2"))), std::vector<bool>(3));  // may be a learned gate
  EXPECT_EQ(differentiate(parsed(masked("2")), ops::table()).entry().results.size(), 3U);
}

TEST(Differentiate, TrainsTheParametersThatAreNamed) {
  const ir::Module module = apply(parsed(kNormalized), ops::table(), "differentiate(weights=x|m*)");
  EXPECT_EQ(module.entry().results.size(), 1 + 2U);
  EXPECT_EQ(weight_names(module), (std::vector<std::string>{"w", "b", "m", "v", "x"}));
  EXPECT_EQ(refused([] { differentiate(parsed(kNormalized), ops::table(), Inputs::none, {"y"}); }),
            "m: @f: has no floating-point parameter \"y\"; use w, b, m, v or x");
}

TEST(Differentiate, RefusesWhatHasNoGradient) {
  const auto message = [](const std::string& body) {
    return refused([&] {
      differentiate(
          parsed("func @f(weight %w: Tensor[Float32, (2, 3)], weight %s: Tensor[Float32, (3,)]) {\n" + body + "}"),
          ops::table());
    });
  };
  EXPECT_EQ(message("  %y = ReluGrad(%w, %w)\n  return %y\n"), "m:2: @f: %y = ReluGrad: has no gradient rule");
  EXPECT_EQ(message("  %y, %mean, _ = LayerNormalization(%w, %s)\n  return %mean\n"),
            "m:2: @f: %y, %mean, %v4 = LayerNormalization: has no gradient rule for its result 1");
  EXPECT_EQ(message("  %y = ArgMax(%w)\n  return %y\n"),
            "m: @f: result 0 is Tensor[Int64, (1, 3)]; the loss, a floating-point tensor, would be right");
}

// What a message carries of a value on no device comes from nowhere in particular: no device gets its gradient.
TEST(Differentiate, RefusesMessagesOfValuesOnNoDevice) {
  const auto message = [](const std::string& place, const std::string& send) {
    return refused([&] {
      const std::string type = ": Tensor[Float32, (4,)" + place + "]";
      differentiate(parsed("func @f(weight %w" + type + ", %x" + type + ") {\n  %y = Mul(%w, %x)\n  " + send +
                           "\n  %l = ReduceSum[axes = [0], keepdims = 0](%s)\n  return %l\n}"),
                    ops::table());
    });
  };
  const std::string why =
      ": operand 0 is on no device, so its gradient has none to go back to; state one in the types of parameters, such "
      "as Tensor[Float32, (4,), 1]";
  EXPECT_EQ(message("", "%s = Send(%y, 2)"), "m:3: @f: %s = Send" + why);
  EXPECT_EQ(message("", "%s, %t = MPIBroadcast[to = [1, 2]](%y)"), "m:3: @f: %s, %t = MPIBroadcast" + why);
  EXPECT_EQ(message("", "%s, %t = MPIScatter[to = [1, 2]](%y)"), "m:3: @f: %s, %t = MPIScatter" + why);
  EXPECT_EQ(message("", "%s = MPIGather(%y, 2)"), "m:3: @f: %s = MPIGather" + why);
  EXPECT_EQ(message(", 1", "%s = Send(%y, 2)"), "accepted");
}

constexpr const char* kClassifier =
    "func @f(weight %w: Tensor[Float32, (3, 5)], %x: Tensor[Float32, (2, 4, 3)]) {\n  %logits = MatMul(%x, %w)\n"
    "  %p = Softmax(%logits)\n  %best = ArgMax[axis = 2](%p)\n  return %best, %p\n}";

TEST(AddLoss, TakesTheCrossEntropyOfTheLogitsBehindASoftmax) {
  EXPECT_EQ(
      ir::print(eliminate_dead_code(apply(parsed(kClassifier), ops::table(), "add_loss(output=p)"))),
      "func @f(weight %w: Tensor[Float32, (3, 5)], %x: Tensor[Float32, (2, 4, 3)], %target: Tensor[Int64, (2, 4)]) {\n"
      "  %logits = MatMul(%x, %w)\n  %v4 = Reshape[shape = [-1, 5]](%logits)\n  %v5 = Reshape[shape = [-1]](%target)\n"
      "  %loss = SoftmaxCrossEntropyLoss[count = 8](%v4, %v5)\n  return %loss\n}\n");
}

TEST(AddLoss, RefusesWhatIsNoPrediction) {
  const auto message = [](const std::string& pass) {
    return refused([&] { apply(parsed(kClassifier), ops::table(), pass); });
  };
  EXPECT_EQ(message("add_loss(kind=hinge)"), "loss: unknown loss \"hinge\"; use cross_entropy, mean_square or sum");
  EXPECT_EQ(message("add_loss(output=q)"), "m: @f: returns no \"q\"; use best or p, or give the number of a result");
  EXPECT_EQ(message("differentiate(loss=sum)"),
            "m: @f: the prediction is Tensor[Int64, (2, 4, 1)]; a floating-point tensor of known shape would be right");
  EXPECT_EQ(message("add_loss(output=1, axis=0)"),
            "m: @f: the classes of Tensor[Float32, (2, 4, 5)] should be its dimension 1 or its last one; give axis, "
            "or name another output");
}

TEST(LiftConstants, MakesWeightsOfWhatProductsTake) {
  const ir::Module module = lift_constants(
      parsed("func @f(%x: Tensor[Float32, (2, 3)]) {\n  %w = ConstantOfShape[shape = [3, 4]]()\n"
             "  %c = ConstantOfShape[shape = [4]]()\n  %p = MatMul(%x, %w)\n  %y = Add(%p, %c)\n  return %y\n}"),
      ops::table());
  EXPECT_EQ(weight_names(module), std::vector<std::string>{"w"});
}

}  // namespace
}  // namespace foreflow::transform::differentiate_test
