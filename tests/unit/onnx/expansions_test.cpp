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
