// Attention of opset 23 and later, as the text of ONNX 1.23 defines it. Equal scores make every row the mean of the
// values that it sees.
#include <gmock/gmock.h>

#include <cmath>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::attention_test {
namespace {

using namespace foreflow::test;

Imported import(const ModelText& text) { return import_bytes(model(text), "m.onnx", ops::table()); }

std::vector<ir::Array> evaluate(const ModelText& text, const std::vector<ir::Array>& inputs) {
  return interpret::evaluate(import(text).module, 0, inputs);
}

std::vector<double> numbers(const ir::Array& array) {
  std::vector<double> all;
  for (int64_t i = 0; i < array.size(); ++i) all.push_back(array.at(i));
  return all;
}

std::string error_of(const ModelText& text) {
  try {
    import(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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

// ONNX 1.23 corrects all opsets in place: a causal mask is aligned with the first query, behind what a cache holds.
TEST(AttentionOfOpset23, SeesWhatACacheHolds) {
  std::vector<Wire> inputs = kHeads;
  inputs.push_back(port("past_k", kFloat, {"b", "1", "p", "2"}));
  inputs.push_back(port("past_v", kFloat, {"b", "1", "p", "1"}));
  const NodeText node{"Attention", {"q", "k", "v", "", "past_k", "past_v"}, {"y"}, {int_attribute("is_causal", 1)}};
  const ir::Array one = ir::Array(ir::DType::f32, {1, 1, 1, 2}), v = ir::Array::of_floats({1, 1, 1, 1}, {8}),
                  past = ir::Array::of_floats({1, 1, 1, 1}, {4});
  for (const int64_t opset : {23, 24, 25}) {
    const ModelText text{.nodes = {node}, .inputs = inputs, .opset = opset};
    EXPECT_THAT(numbers(evaluate(text, {one, one, v, one, past})[0]), testing::ElementsAre(6)) << opset;
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

// Of queries that see no key, which a softmax alone would make NaN, all results are 0.
TEST(AttentionOfOpset23, GivesZerosToAQueryThatSeesNoKey) {
  std::vector<Wire> inputs = kHeads;
  inputs.push_back(port("mask", kBool, {"s", "t"}));
  const NodeText node{
      "Attention", {"q", "k", "v", "mask"}, {"y", "", "", "shares"}, {int_attribute("qk_matmul_output_mode", 3)}};
  const ModelText text{.nodes = {node}, .inputs = inputs, .outputs = {"y", "shares"}, .opset = 23};
  const ir::Array queries(ir::DType::f32, {1, 1, 2, 2}), keys(ir::DType::f32, {1, 1, 2, 2});
  ir::Array mask(ir::DType::boolean, {2, 2});
  mask.mutable_data<bool>()[2] = true;
  const auto results           = evaluate(text, {queries, keys, ir::Array::of_floats({1, 1, 2, 1}, {3, 5}), mask});
  EXPECT_THAT(numbers(results[0]), testing::ElementsAre(0, 3));
  EXPECT_THAT(numbers(results[1]), testing::ElementsAre(0, 0, 1, 0));
}

// With 3 and 2 of 4 keys in use, two queries stand at positions 1 and 2, and at 0 and 1.
TEST(AttentionOfOpset23, AlignsACausalMaskWithTheLengthsOfSamples) {
  std::vector<Wire> inputs = kHeads;
  inputs.push_back(port("lengths", kInt64, {"b"}));
  const ModelText text{
      .nodes  = {{"Attention", {"q", "k", "v", "", "", "", "lengths"}, {"y"}, {int_attribute("is_causal", 1)}}},
      .inputs = inputs,
      .opset  = 24};
  const ir::Array queries(ir::DType::f32, {2, 1, 2, 2}), keys(ir::DType::f32, {2, 1, 4, 2}),
      values = ir::Array::of_floats({2, 1, 4, 1}, {1, 3, 8, 99, 1, 3, 8, 99});
  EXPECT_THAT(numbers(evaluate(text, {queries, keys, values, ir::Array::of_ints({2}, {3, 2})})[0]),
              testing::ElementsAre(2, 4, 1, 2));
}

// A window of one key to the left and none to the right, which opset 25 knows.
TEST(AttentionOfOpset25, SeesAWindow) {
  const ModelText text{.nodes  = {{"Attention",
                                   {"q", "k", "v"},
                                   {"y"},
                                   {int_attribute("left_window_size", 1), int_attribute("right_window_size", 0)}}},
                       .inputs = kHeads,
                       .opset  = 25};
  const ir::Array zeros(ir::DType::f32, {1, 1, 4, 2});
  EXPECT_THAT(numbers(evaluate(text, {zeros, zeros, ir::Array::of_floats({1, 1, 4, 1}, {1, 3, 5, 9})})[0]),
              testing::ElementsAre(1, 2, 4, 7));
}

// Four query heads and two key heads: heads 0 and 1 share the first, 2 and 3 the second.
TEST(AttentionOfOpset23, SharesAKeyHeadAmongNeighbours) {
  const std::vector<Wire> inputs = {port("q", kFloat, {"1", "4", "1", "1"}), port("k", kFloat, {"1", "2", "1", "1"}),
                                    port("v", kFloat, {"1", "2", "1", "1"})};
  const ModelText text{.nodes = {{"Attention", {"q", "k", "v"}, {"y"}}}, .inputs = inputs, .opset = 23};
  const ir::Array q(ir::DType::f32, {1, 4, 1, 1}), k(ir::DType::f32, {1, 2, 1, 1});
  EXPECT_THAT(numbers(evaluate(text, {q, k, ir::Array::of_floats({1, 2, 1, 1}, {3, 7})})[0]),
              testing::ElementsAre(3, 3, 7, 7));
}

// The score 2 becomes tanh(2) in steps 1 and, with 10 of the mask, 2.
TEST(AttentionOfOpset23, GivesTheScoresOfTheStepThatIsAskedFor) {
  const std::vector<Wire> inputs = {port("q", kFloat, {"1", "1", "1", "1"}), port("k", kFloat, {"1", "1", "1", "1"}),
                                    port("v", kFloat, {"1", "1", "1", "1"}), port("mask", kFloat, {"1", "1"})};
  const auto one                 = [](float number) { return ir::Array::of_floats({1, 1, 1, 1}, {number}); };
  const std::vector<double> expected{2, std::tanh(2.0), std::tanh(2.0) + 10, 1};
  for (int64_t mode = 0; mode < 4; ++mode) {
    const NodeText node{"Attention",
                        {"q", "k", "v", "mask"},
                        {"y", "", "", "scores"},
                        {int_attribute("qk_matmul_output_mode", mode), float_attribute("softcap", 1)}};
    const ModelText text{.nodes = {node}, .inputs = inputs, .outputs = {"y", "scores"}, .opset = 23};
    const auto results = evaluate(text, {one(1), one(2), one(3), ir::Array::of_floats({1, 1}, {10})});
    EXPECT_NEAR(results[1].at(0), nth(expected, mode), 1e-6) << mode;
  }
}

TEST(AttentionOfOpset23, RefusesWhatHasNoMeaning) {
  const auto with = [](const std::vector<std::string>& operands, const std::vector<Wire>& attributes) {
    std::vector<Wire> inputs = kHeads;
    inputs.push_back(port("mask", kFloat, {}));
    inputs.push_back(port("past", kFloat, {"b", "1", "p", "2"}));
    return error_of(
        {.nodes = {{"Attention", operands, {"y", "", "", "scores"}, attributes}}, .inputs = inputs, .opset = 23});
  };
  EXPECT_EQ(with({"q", "k", "v"}, {int_attribute("qk_matmul_output_mode", 7)}),
            "m.onnx: node 0: qk_matmul_output_mode is 7; 0, 1, 2 or 3 would be right");
  EXPECT_EQ(with({"q", "k", "v", "mask"}, {}),
            "m.onnx: node 0: Attention has a mask of 0 dimensions; one that broadcasts to [b,n,s,t] would be right");
  EXPECT_EQ(with({"q", "k", "v", "", "past"}, {}),
            "m.onnx: node 0: Attention has one of past_key and past_value; both or none would be right");
  EXPECT_EQ(with({"q", "k", "v"}, {int_attribute("softmax_precision", 7)}),
            "m.onnx: node 0: softmax_precision is INT64; a float type would be right");
}

// Attentions of one mask share what is made of it.
TEST(AttentionOfOpset23, MakesTheBiasOfAMaskOnce) {
  const std::vector<Wire> inputs = {port("q", kFloat, {"1", "1", "2", "2"}), port("mask", kBool, {"2", "2"})};
  const ModelText text{
      .nodes  = {{"Attention", {"q", "q", "q", "mask"}, {"a"}}, {"Attention", {"a", "a", "a", "mask"}, {"y"}}},
      .inputs = inputs,
      .opset  = 23};
  const ir::Module module = import(text).module;
  int64_t maxima          = 0;
  for (const ir::Op& op : module.entry().ops) maxima += op.def->name == "ReduceMax" ? 1 : 0;
  EXPECT_EQ(maxima, 1);
}

}  // namespace
}  // namespace foreflow::onnx::attention_test
