// Operators that the importer writes with several ops, and what it refuses because no op would know it.
#include <gmock/gmock.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

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

// (3 - 1) * 0.5 + (4 - 2) * 0.25 = 1.5, which is 6 quarters above the zero point 1.
TEST(QuantisedOperators, ComputeWithTheRealNumbers) {
  const auto bytes = [](uint8_t value) { return ir::Array::of<uint8_t>(ir::DType::u8, {1}, std::vector{value}); };
  const auto real  = [](float value) { return ir::Array::scalar(value); };
  const std::vector<std::string> names{"a", "as", "az", "b", "bs", "bz", "ys", "yz"};
  std::vector<Wire> inputs;
  for (const std::string& name : names)
    inputs.push_back(port(name, name.size() == 2 && name[1] == 's' ? static_cast<int>(kFloat) : 2,
                          name == "a" || name == "b" ? std::vector<std::string>{"1"} : std::vector<std::string>{}));
  const ModelText text{.nodes = {{"QLinearAdd", names, {"y"}, {}, "", "com.microsoft"}}, .inputs = inputs};
  const auto zero = [](uint8_t value) { return ir::Array::of<uint8_t>(ir::DType::u8, {}, std::vector{value}); };
  EXPECT_THAT(
      numbers(evaluate(text, {bytes(3), real(0.5F), zero(1), bytes(4), real(0.25F), zero(2), real(0.25F), zero(1)})[0]),
      testing::ElementsAre(7));
}

// One scale for each column of b: its rows if b is transposed. a = (1, 1), so each result is the sum of a column.
TEST(QuantisedOperators, ScaleTheColumnsOfATransposedMatrix) {
  const int64_t int8 = 3;
  const auto i8      = [](const ir::Dims& dims, const std::vector<int8_t>& values) {
    return ir::Array::of<int8_t>(ir::DType::i8, dims, values);
  };
  const std::vector<std::string> names{"a", "as", "az", "b", "bs", "bz"};
  const std::vector<Wire> inputs = {port("a", int8, {"1", "2"}), port("as", kFloat, {}),    port("az", int8, {}),
                                    port("b", int8, {"2", "2"}), port("bs", kFloat, {"2"}), port("bz", int8, {"2"})};
  for (const int64_t transposed : {0, 1}) {
    const ModelText text{.nodes = {{"QGemm", names, {"y"}, {int_attribute("transB", transposed)}, "", "com.microsoft"}},
                         .inputs = inputs};
    const auto y = evaluate(text, {i8({1, 2}, {1, 1}), ir::Array::scalar(1.0F), i8({}, {0}), i8({2, 2}, {1, 2, 3, 4}),
                                   ir::Array::of_floats({2}, {1, 10}), i8({2}, {0, 0})});
    EXPECT_THAT(numbers(y[0]), transposed == 1 ? testing::ElementsAre(3, 70) : testing::ElementsAre(4, 60));
  }
}

// Zeros of (2, 2, 2): a quarter each where the last two dimensions are one, else a half.
TEST(QuantisedOperators, FlattenForASoftmaxOfAnOldOpset) {
  const std::vector<std::string> names{"x", "s", "z", "ys", "yz"};
  const std::vector<Wire> inputs = {port("x", 2, {"2", "2", "2"}), port("s", kFloat, {}), port("z", 2, {}),
                                    port("ys", kFloat, {}), port("yz", 2, {})};
  const auto zero                = [](const ir::Dims& dims) { return ir::Array(ir::DType::u8, dims); };
  for (const auto& [opset, share] : {std::pair{12, 25.0}, {13, 50.0}}) {
    const ModelText text{.nodes  = {{"QLinearSoftmax",
                                     names,
                                     {"y"},
                                     {int_attribute("opset", opset), int_attribute("axis", 1)},
                                     "",
                                     "com.microsoft"}},
                         .inputs = inputs};
    const auto y =
        evaluate(text, {zero({2, 2, 2}), ir::Array::scalar(1.0F), zero({}), ir::Array::scalar(0.01F), zero({})});
    EXPECT_THAT(numbers(y[0]), testing::Each(share)) << opset;
  }
}

TEST(PackedAttention, IsItsProjectionAndAttentionOfThePackedTokens) {
  const int64_t int32 = 6;
  const Imported imported =
      import({.nodes  = {{"PackedAttention",
                          {"x", "w", "b", "at", "lengths"},
                          {"y"},
                          {int_attribute("num_heads", 2)},
                          "",
                          "com.microsoft"}},
              .inputs = {port("x", kFloat, {"5", "4"}), port("w", kFloat, {"4", "12"}), port("b", kFloat, {"12"}),
                         port("at", int32, {"2", "3"}), port("lengths", int32, {"3"})}});
  const std::string text = ir::print(imported.module);
  EXPECT_THAT(text, testing::HasSubstr("= MatMul(%x, %w)"));
  EXPECT_THAT(text, testing::HasSubstr(", %b, %at, %lengths)"));
  EXPECT_THAT(text, testing::HasSubstr("%y = PackedMultiHeadAttention[num_heads = 2]("));
}

// 2 + 0 + 3 tokens of 4 numbers.
TEST(RemovePadding, HasAsManyTokensAsTheNumbersOfTheMaskSay) {
  const int64_t int32  = 6;
  const ModelText text = {
      .nodes   = {{"RemovePadding", {"x", "counts"}, {"y", "at", "bounds", "most"}, {}, "", "com.microsoft"}},
      .inputs  = {port("x", kFloat, {"3", "3", "4"}), port("counts", int32, {"3"})},
      .outputs = {"y", "bounds"}};
  const ir::Array counts = ir::Array::of<int32_t>(ir::DType::i32, {3}, std::vector<int32_t>{2, 0, 3});
  const Imported open    = import(text);
  EXPECT_THAT(ir::print(open.module), testing::HasSubstr("= RemovePadding(%x, %counts)"));
  const Imported known = import_bytes(model(text), "m.onnx", ops::table(), Numbers::read, {{}, {{"counts", counts}}});
  const auto types     = interpret::interpret_mixed(known.module, 0);
  const ir::ValueId y  = known.module.entry().results[0];
  EXPECT_EQ(types.entry().values[ir::index(y)].type.dims, (ir::Dims{5, 4}));
  EXPECT_THAT(ir::print(known.module), testing::HasSubstr("[0, 2, 2, 5]"));
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
