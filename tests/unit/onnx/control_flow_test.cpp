// If, Loop and Scan, written out when a model is read.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::control_flow_test {
namespace {

using namespace foreflow::test;
using ir::Array;

Imported import(const ModelText& text, const Given& given = {}) {
  return import_bytes(model(text), "m.onnx", ops::table(), Numbers::read, given);
}
std::vector<std::string> ops_of(const Imported& imported) {
  std::vector<std::string> names;
  for (const ir::Op& op : imported.module.entry().ops) {
    if (op.def->name != "Constant") names.emplace_back(op.def->name);
  }
  return names;
}
std::string refused(const ModelText& text) {
  try {
    import(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
Array evaluated(const Imported& imported, const std::vector<Array>& inputs) {
  return interpret::evaluate(imported.module, imported.module.functions.size() - 1, inputs).at(0);
}

using Names = std::vector<std::string>;

Wire truth(const std::string& name, bool value) {
  return tensor(name, kBool, {}).bytes(9, std::string(1, static_cast<char>(value)));
}

// y = Relu(x) or, else, x * w; both read x from outside.
ModelText choice(const std::vector<Wire>& initializers, const std::vector<Wire>& inputs) {
  const std::vector<float> weights(100, 2.0f);
  const ModelText yes{.nodes = {{"Relu", {"x"}, {"a"}}}, .inputs = {}, .outputs = {"a"}};
  const ModelText no{.nodes        = {{"Mul", {"x", "w"}, {"b"}}},
                     .inputs       = {},
                     .outputs      = {"b"},
                     .initializers = {floats("w", {100}, weights)}};
  return {.nodes  = {{"If", {"c"}, {"y"}, {body_attribute("then_branch", yes), body_attribute("else_branch", no)}}},
          .inputs = inputs,
          .initializers = initializers};
}

const std::vector<Wire> kOnlyX{port("x", kFloat, {"100"})};
const std::vector<Wire> kXAndCondition{port("x", kFloat, {"100"}), port("c", kBool, {})};

TEST(If, WithAKnownConditionIsItsBranchAndKeepsNoWeightsOfTheOther) {
  const Imported yes = import(choice({truth("c", true)}, kOnlyX)), no = import(choice({truth("c", false)}, kOnlyX));
  EXPECT_EQ(ops_of(yes), Names{"Relu"});
  EXPECT_TRUE(yes.weights.empty());
  EXPECT_EQ(yes.module.entry().parameters.size(), 1u);
  EXPECT_EQ(ops_of(no), Names{"Mul"});
  EXPECT_EQ(no.weights.size(), 1u);
  EXPECT_EQ(no.module.entry().parameters.size(), 2u);
}

TEST(If, TakesTheConditionFromAGivenInput) {
  Array condition(ir::DType::boolean, {});
  condition.mutable_data<bool>()[0] = true;
  EXPECT_EQ(ops_of(import(choice({}, kXAndCondition), {.shapes = {}, .inputs = {{"c", condition}}})), Names{"Relu"});
}

TEST(If, WithAConditionOfRunTimeSelectsBetweenBothBranches) {
  const Imported imported = import(choice({}, kXAndCondition));
  EXPECT_EQ(ops_of(imported), (Names{"Relu", "Mul", "Where"}));
  const std::vector<float> numbers(100, -3.0f);
  for (const bool condition : {true, false}) {
    Array chosen(ir::DType::boolean, {});
    chosen.mutable_data<bool>()[0] = condition;
    const Array y = evaluated(imported, {Array::of_floats({100}, numbers), chosen, imported.weights.begin()->second});
    EXPECT_EQ(y.at(7), condition ? 0 : -6);
  }
}

TEST(If, AtRunTimeNeedsBranchesOfOneType) {
  const ModelText yes{.nodes = {{"Identity", {"x"}, {"a"}}}, .inputs = {}, .outputs = {"a"}};
  const ModelText no{.nodes = {{"Shape", {"x"}, {"b"}}}, .inputs = {}, .outputs = {"b"}};
  EXPECT_EQ(
      refused({.nodes = {{"If", {"c"}, {"y"}, {body_attribute("then_branch", yes), body_attribute("else_branch", no)}}},
               .inputs = kXAndCondition}),
      "m.onnx: node 0: If depends on a condition that is known at run time only, and result number 0 is "
      "Tensor[Float32, (100,)] or Tensor[Int64, (1,)]; both should be known and the same: give the inputs' shapes, or "
      "a constant condition, or give the numbers of input \"c\", on which it depends");
}

TEST(If, DependsOnShapesThatAreGiven) {
  const ModelText yes{.nodes = {{"Relu", {"x"}, {"a"}}}, .inputs = {}, .outputs = {"a"}};
  const ModelText no{.nodes = {{"Tanh", {"x"}, {"b"}}}, .inputs = {}, .outputs = {"b"}};
  const ModelText text{
      .nodes        = {{"Size", {"x"}, {"n"}},
                       {"Equal", {"n", "six"}, {"c"}},
                       {"If", {"c"}, {"y"}, {body_attribute("then_branch", yes), body_attribute("else_branch", no)}}},
      .inputs       = {port("x", kFloat, {"batch", "3"})},
      .initializers = {ints("six", {}, {6})}};
  EXPECT_EQ(ops_of(import(text, {.shapes = {{"x", {2, 3}}}, .inputs = {}})).back(), "Relu");
  EXPECT_EQ(ops_of(import(text, {.shapes = {{"x", {4, 3}}}, .inputs = {}})).back(), "Tanh");
}

// sum = sum + x, with a slice of every round; the condition is `out`.
ModelText rounds(const std::string& condition, const std::vector<Wire>& inputs, const std::vector<Wire>& initializers,
                 bool slices) {
  ModelText body{.nodes   = {{"Add", {"sum", "x"}, {"next"}},
                             {"Less", {"number", "limit"}, {"low"}},
                             {"Identity", {"next"}, {"slice"}}},
                 .inputs  = {port("number", kInt64, {}), port("on", kBool, {}), port("sum", kFloat, {"2"})},
                 .outputs = {condition, "next"}};
  if (slices) body.outputs.emplace_back("slice");
  Names outputs{"y"};
  if (slices) outputs.emplace_back("all");
  return {.nodes        = {{"Loop", {"trips", "", "x"}, outputs, {body_attribute("body", body)}}},
          .inputs       = inputs,
          .outputs      = outputs,
          .initializers = initializers};
}

const std::vector<Wire> kPair{port("x", kFloat, {"2"})};
const Array kNumbers = Array::of_floats({2}, {1, 10});

TEST(Loop, IsItsRoundsOneAfterTheOther) {
  const Imported imported = import(rounds("on", kPair, {ints("trips", {}, {3}), ints("limit", {}, {9})}, true));
  EXPECT_EQ(std::ranges::count(ops_of(imported), "Add"), 3);
  EXPECT_EQ(evaluated(imported, {kNumbers}), Array::of_floats({2}, {4, 40}));
  const auto results = interpret::evaluate(imported.module, 0, {kNumbers});
  EXPECT_EQ(results.at(1), Array::of_floats({3, 2}, {2, 20, 3, 30, 4, 40}));
}

TEST(Loop, EndsWhereItsKnownConditionFails) {
  // The condition of round 2 is 2 < 2.
  const Imported imported = import(rounds("low", kPair, {ints("trips", {}, {9}), ints("limit", {}, {2})}, true));
  EXPECT_EQ(evaluated(imported, {kNumbers}), Array::of_floats({2}, {4, 40}));
}

TEST(Loop, WithAConditionOfRunTimeGoesOnAndKeepsTheStateBeforeTheEnd) {
  const std::vector<Wire> inputs{port("x", kFloat, {"2"}), port("limit", kInt64, {})};
  const Imported imported = import(rounds("low", inputs, {ints("trips", {}, {5})}, false));
  for (const int64_t limit : {0, 2, 7}) {
    // Rounds 0 .. limit happen, at most five: x + (rounds) * x.
    const auto happened = static_cast<float>(std::min<int64_t>(5, limit + 1));
    EXPECT_EQ(evaluated(imported, {kNumbers, Array::scalar(limit)}),
              Array::of_floats({2}, {1 + happened, 10 * (1 + happened)}));
  }
  EXPECT_EQ(refused(rounds("low", inputs, {ints("trips", {}, {5})}, true)),
            "m.onnx: node 0: Loop may end early by a condition that is known at run time only, so that the length of "
            "its results is not known; export the model with a constant condition");
}

TEST(Loop, NeedsATripCountThatIsKnown) {
  const std::vector<Wire> inputs{port("x", kFloat, {"2"}), port("trips", kInt64, {})};
  const ModelText text = rounds("on", inputs, {ints("limit", {}, {9})}, false);
  EXPECT_EQ(refused(text),
            "m.onnx: node 0: the trip count of Loop is not known before run time; export the model with a constant "
            "one, or give the numbers of input \"trips\", on which it depends");
  const Imported imported = import(text, {.shapes = {}, .inputs = {{"trips", Array::scalar(int64_t{2})}}});
  EXPECT_EQ(std::ranges::count(ops_of(imported), "Add"), 2);
}

TEST(Loop, WithoutRoundsGivesEmptySlicesOfTheStatedShape) {
  ModelText body{.nodes   = {{"Identity", {"sum"}, {"next"}}, {"Identity", {"sum"}, {"slice"}}},
                 .inputs  = {port("number", kInt64, {}), port("on", kBool, {}), port("sum", kFloat, {"2"})},
                 .outputs = {"on", "next", "slice"}};
  const Names outputs{"y", "all"};
  EXPECT_EQ(refused({.nodes        = {{"Loop", {"trips", "", "x"}, outputs, {body_attribute("body", body)}}},
                     .inputs       = kPair,
                     .outputs      = outputs,
                     .initializers = {ints("trips", {}, {0})}}),
            "m.onnx: node 0: Loop makes no round, so that the shape of its result \"slice\" is not known; state it in "
            "the body");
}

TEST(Scan, ReadsSlicesFromEitherEndAndStacksItsResults) {
  const ModelText body{.nodes   = {{"Add", {"sum", "element"}, {"next"}}, {"Identity", {"next"}, {"slice"}}},
                       .inputs  = {port("sum", kFloat, {}), port("element", kFloat, {})},
                       .outputs = {"next", "slice"}};
  const Names outputs{"y", "all"};
  for (const int64_t backwards : {0, 1}) {
    const Imported imported = import({.nodes        = {{"Scan",
                                                        {"zero", "x"},
                                                        outputs,
                                                        {body_attribute("body", body), int_attribute("num_scan_inputs", 1),
                                                         ints_attribute("scan_input_directions", {backwards})}}},
                                      .inputs       = {port("x", kFloat, {"3"})},
                                      .outputs      = outputs,
                                      .initializers = {floats("zero", {}, {0})}});
    const auto results      = interpret::evaluate(imported.module, 0, {Array::of_floats({3}, {1, 2, 4})});
    EXPECT_EQ(results.at(0), Array::scalar(7.0F));
    EXPECT_EQ(results.at(1), backwards != 0 ? Array::of_floats({3}, {4, 6, 7}) : Array::of_floats({3}, {1, 3, 7}));
  }
}

TEST(Scan, NeedsTheLengthOfWhatItReads) {
  const ModelText body{
      .nodes = {{"Identity", {"element"}, {"slice"}}}, .inputs = {port("element", kFloat, {})}, .outputs = {"slice"}};
  EXPECT_EQ(
      refused({.nodes  = {{"Scan", {"x"}, {"y"}, {body_attribute("body", body), int_attribute("num_scan_inputs", 1)}}},
               .inputs = {port("x", kFloat, {"n"})}}),
      "m.onnx: node 0: Scan reads a value of type Tensor[Float32, (?,)], so that the number of its rounds is not "
      "known; give the shapes of the model's inputs");
}

TEST(ControlFlow, NamesTheNodeInsideABody) {
  const ModelText body{.nodes = {{"Frobnicate", {"x"}, {"a"}, {}, "inner"}}, .inputs = {}, .outputs = {"a"}};
  EXPECT_EQ(refused({.nodes  = {{"If",
                                 {"c"},
                                 {"y"},
                                 {body_attribute("then_branch", body), body_attribute("else_branch", body)},
                                 "outer"}},
                     .inputs = kXAndCondition}),
            "m.onnx: node 0 \"outer\": then_branch: node 0 \"inner\": op Frobnicate (opset 13) is not supported");
}

}  // namespace
}  // namespace foreflow::onnx::control_flow_test
