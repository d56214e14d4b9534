// Operators that the importer writes with several ops, and what it refuses because no op would know it.
#include <gmock/gmock.h>

#include "bytes.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"

namespace foreflow::onnx::expansions_test {
namespace {

using namespace foreflow::test;

Imported import(const ModelText& text) { return import_bytes(model(text), "m.onnx", ops::table()); }

std::vector<ir::Array> evaluate(const ModelText& text, const std::vector<ir::Array>& inputs) {
  const ir::Module module = import(text).module;
  return interpret::evaluate(module, 0, inputs);
}

std::string error_of(const ModelText& text) {
  try {
    import(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<double> numbers(const ir::Array& array) {
  std::vector<double> all;
  for (int64_t i = 0; i < array.size(); ++i) all.push_back(array.at(i));
  return all;
}

const std::vector<Wire> kHeads = {port("q", kFloat, {"b", "1", "s", "2"}), port("k", kFloat, {"b", "1", "t", "2"}),
                                  port("v", kFloat, {"b", "1", "t", "1"})};

// Queries of zeros weigh all visible keys equally, so each row is the mean of the values that it sees.
TEST(AttentionOfOpset23, GivesTheMeanOfTheVisibleValuesToEqualScores) {
  const ModelText text{
      .nodes = {{"Attention", {"q", "k", "v"}, {"y"}, {int_attribute("is_causal", 1)}}}, .inputs = kHeads, .opset = 23};
  const ir::Array zeros = ir::Array(ir::DType::f32, {1, 1, 3, 2}), v = ir::Array::of_floats({1, 1, 3, 1}, {3, 5, 10});
  EXPECT_THAT(numbers(evaluate(text, {zeros, zeros, v})[0]), testing::ElementsAre(3, 4, 6));
}

// Older opsets align a causal mask with the first key of a cache, newer ones with the first query.
TEST(AttentionOfOpset23, SeesWhatACacheHoldsFromOpset25On) {
  std::vector<Wire> inputs = kHeads;
  inputs.push_back(port("past_k", kFloat, {"b", "1", "p", "2"}));
  inputs.push_back(port("past_v", kFloat, {"b", "1", "p", "1"}));
  const NodeText node{"Attention", {"q", "k", "v", "", "past_k", "past_v"}, {"y"}, {int_attribute("is_causal", 1)}};
  const ir::Array one = ir::Array(ir::DType::f32, {1, 1, 1, 2}), v = ir::Array::of_floats({1, 1, 1, 1}, {8}),
                  past = ir::Array::of_floats({1, 1, 1, 1}, {4});
  for (const auto& [opset, mean] : {std::pair{24, 4.0}, {25, 6.0}}) {
    const ModelText text{.nodes = {node}, .inputs = inputs, .opset = opset};
    EXPECT_THAT(numbers(evaluate(text, {one, one, v, one, past})[0]), testing::ElementsAre(mean)) << opset;
  }
}

TEST(AttentionOfOpset23, HidesTheKeysThatAMaskOfTruthsLeavesOut) {
  std::vector<Wire> inputs = kHeads;
  inputs.push_back(port("mask", kBool, {"s", "t"}));
  const ModelText text{.nodes = {{"Attention", {"q", "k", "v", "mask"}, {"y"}}}, .inputs = inputs, .opset = 23};
  const ir::Array query = ir::Array(ir::DType::f32, {1, 1, 1, 2}), keys = ir::Array(ir::DType::f32, {1, 1, 2, 2}),
                  v = ir::Array::of_floats({1, 1, 2, 1}, {3, 5});
  ir::Array mask(ir::DType::boolean, {1, 2});
  mask.mutable_data<bool>()[1] = true;
  EXPECT_THAT(numbers(evaluate(text, {query, keys, v, mask})[0]), testing::ElementsAre(5));
}

// A quarter turn of (1, 0) is (0, 1), in halves as in neighbours.
TEST(RotaryEmbeddingOfOpset23, TurnsPairsByTheAnglesOfTheirPositions) {
  const std::vector<Wire> inputs = {port("x", kFloat, {"b", "1", "s", "4"}), port("cos", kFloat, {"9", "2"}),
                                    port("sin", kFloat, {"9", "2"}), port("at", kInt64, {"b", "s"})};
  const ir::Array cosine         = ir::Array::of_floats({2, 2}, {1, 1, 0, 0}),
                  sine = ir::Array::of_floats({2, 2}, {0, 0, 1, 1}), at = ir::Array::of_ints({1, 1}, {1}),
                  x = ir::Array::of_floats({1, 1, 1, 4}, {1, 2, 3, 4});
  const auto turned = [&](int64_t interleaved) {
    const ModelText text{
        .nodes  = {{"RotaryEmbedding", {"x", "cos", "sin", "at"}, {"y"}, {int_attribute("interleaved", interleaved)}}},
        .inputs = inputs,
        .opset  = 23};
    ModelText sized = text;
    sized.inputs[1] = port("cos", kFloat, {"2", "2"});
    sized.inputs[2] = port("sin", kFloat, {"2", "2"});
    return numbers(evaluate(sized, {x, cosine, sine, at})[0]);
  };
  EXPECT_THAT(turned(0), testing::ElementsAre(-3, -4, 1, 2));
  EXPECT_THAT(turned(1), testing::ElementsAre(-2, 1, -4, 3));
}

TEST(RMSNormalizationOfOpset23, IsARowOfTheTable) {
  const Imported imported = import({.nodes  = {{"RMSNormalization", {"x", "w"}, {"y"}}},
                                    .inputs = {port("x", kFloat, {"2", "3"}), port("w", kFloat, {"3"})},
                                    .opset  = 23});
  EXPECT_THAT(ir::print(imported.module), testing::HasSubstr("%y = SimplifiedLayerNormalization(%x, %w)"));
}

// A function "twice" of domain "loc": y = s + s, where s is that of an inner op, with alpha = slope if it takes one.
std::string with_function(const ModelText& text, const std::string& inner, int64_t opset) {
  const Wire slope = Wire().bytes(1, "alpha").bytes(21, "slope").number(20, 1);
  Wire function;
  function.bytes(1, "twice").bytes(4, "x").bytes(5, "y").bytes(6, "slope");
  function.message(7, node({inner,
                            {"x"},
                            {"s"},
                            inner == "LeakyRelu" ? std::vector<Wire>{slope} : std::vector<Wire>{},
                            "",
                            inner == "twice" ? "loc" : ""}));
  function.message(7, node({"Add", {"s", "s"}, {"y"}}));
  function.message(9, Wire().bytes(1, "").number(2, opset)).bytes(10, "loc");
  return model(text) + Wire().message(25, function).text;
}

const ModelText kCaller{.nodes = {{"twice", {"x"}, {"a"}, {float_attribute("slope", 0.5f)}, "", "loc"},
                                  {"twice", {"a"}, {"y"}, {}, "", "loc"}}};

TEST(FunctionsOfAModel, AreInlinedWithTheirAttributes) {
  const Imported imported = import_bytes(with_function(kCaller, "LeakyRelu", 13), "m.onnx", ops::table());
  EXPECT_EQ(imported.nodes, 2);
  EXPECT_EQ(ir::print(imported.module),
            "func @graph(%x: Tensor[Float32, (2, 3)]) {\n"
            "  %a/s = LeakyRelu[alpha = 0.5](%x)\n"
            "  %a = Add(%a/s, %a/s)\n"
            "  %y/s = LeakyRelu(%a)\n"
            "  %y = Add(%y/s, %y/s)\n"
            "  return %y\n"
            "}\n");
}

std::string function_error(const std::string& inner, int64_t opset) {
  try {
    import_bytes(with_function(kCaller, inner, opset), "m.onnx", ops::table());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FunctionsOfAModel, AreRefusedInAnotherOpsetAndWhereTheyCallThemselves) {
  EXPECT_EQ(function_error("LeakyRelu", 12),
            "m.onnx: node 0: function \"twice\" is written in opset 12, the model in opset 13; inline it with "
            "onnx.inliner.inline_local_functions");
  EXPECT_EQ(function_error("twice", 13),
            "m.onnx: node 0: twice: function \"twice\" calls itself; functions of a model may not");
}

// (3 - 1) * 0.5 + (4 - 2) * 0.25 = 1.5, which is 6 quarters above the zero point 1.
TEST(QuantisedOperators, ComputeWithTheRealNumbers) {
  const auto bytes = [](uint8_t value) { return ir::Array::of<uint8_t>(ir::DType::u8, {1}, std::vector{value}); };
  const auto real  = [](float value) { return ir::Array::scalar(value); };
  const std::vector<std::string> names{"a", "as", "az", "b", "bs", "bz", "ys", "yz"};
  std::vector<Wire> inputs;
  for (const std::string& name : names)
    inputs.push_back(port(name, name.size() == 2 && name[1] == 's' ? kFloat : 2,
                          name == "a" || name == "b" ? std::vector<std::string>{"1"} : std::vector<std::string>{}));
  const ModelText text{.nodes = {{"QLinearAdd", names, {"y"}, {}, "", "com.microsoft"}}, .inputs = inputs};
  const auto zero = [](uint8_t value) { return ir::Array::of<uint8_t>(ir::DType::u8, {}, std::vector{value}); };
  EXPECT_THAT(
      numbers(evaluate(text, {bytes(3), real(0.5F), zero(1), bytes(4), real(0.25F), zero(2), real(0.25F), zero(1)})[0]),
      testing::ElementsAre(7));
}

TEST(UnknownAttributes, AreRefusedWithThoseThatTheOperatorHas) {
  EXPECT_EQ(error_of({.nodes = {{"Relu", {"x"}, {"y"}, {int_attribute("bogus", 3)}}}}),
            "m.onnx: node 0: attribute \"bogus\" of Relu is not known; it has none");
  EXPECT_EQ(error_of({.nodes = {{"Elu", {"x"}, {"y"}, {float_attribute("beta", 3)}}}}),
            "m.onnx: node 0: attribute \"beta\" of Elu is not known; it has alpha");
}

TEST(UnknownOperands, AreRefused) {
  EXPECT_EQ(error_of({.nodes = {{"Relu", {"x", "x"}, {"y"}}}}),
            "m.onnx: node 0: Relu has 2 operands; at most 1 would be right");
}

}  // namespace
}  // namespace foreflow::onnx::expansions_test
