// Sequences and optional values are followed while a model is read.
#include <gmock/gmock.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::sequences_test {
namespace {

using namespace foreflow::test;

Imported import(const ModelText& text) { return import_bytes(model(text), "m.onnx", ops::table()); }

ir::Array evaluate(const ModelText& text, const ir::Array& x) {
  return interpret::evaluate(import(text).module, 0, std::vector{x})[0];
}

std::string error_of(const ModelText& text) {
  try {
    import(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const ir::Array kRows = ir::Array::of_floats({3, 2}, {1, 2, 3, 4, 5, 6});
const std::vector<Wire> kInput{port("x", kFloat, {"3", "2"})};

// The rows in another order: the last, the first, and the second again in the middle.
TEST(Sequences, AreTakenApartAndPutTogether) {
  const ModelText text{
      .nodes        = {{"SplitToSequence", {"x"}, {"rows"}, {int_attribute("keepdims", 0)}},
                       {"SequenceAt", {"rows", "last"}, {"c"}},
                       {"SequenceErase", {"rows"}, {"two"}},
                       {"SequenceInsert", {"two", "c", "first"}, {"all"}},
                       {"ConcatFromSequence", {"all"}, {"y"}, {int_attribute("axis", 0), int_attribute("new_axis", 1)}}},
      .inputs       = kInput,
      .initializers = {ints("last", {}, {-1}), ints("first", {}, {0})}};
  EXPECT_EQ(evaluate(text, kRows), ir::Array::of_floats({3, 2}, {5, 6, 1, 2, 3, 4}));
}

TEST(Sequences, AreSplitIntoPartsOfTheSizesThatAreStated) {
  for (const auto& [name, sizes] : {std::pair{"one", ints("sizes", {}, {2})}, {"each", ints("sizes", {2}, {2, 1})}}) {
    const Imported imported =
        import({.nodes = {{"SplitToSequence", {"x", "sizes"}, {"y"}}}, .inputs = kInput, .initializers = {sizes}});
    const auto parts = interpret::evaluate(imported.module, 0, std::vector{kRows});
    ASSERT_EQ(parts.size(), 2) << name;
    EXPECT_EQ(parts[0], ir::Array::of_floats({2, 2}, {1, 2, 3, 4})) << name;
    EXPECT_EQ(imported.outputs[1].name, "y/1");
  }
}

// A loop that collects x + x in a sequence, three times.
TEST(Sequences, GrowInALoop) {
  const ModelText body{.nodes   = {{"Add", {"x", "x"}, {"twice"}},
                                   {"SequenceInsert", {"all", "twice"}, {"more"}},
                                   {"Identity", {"go"}, {"on"}}},
                       .inputs  = {port("i", kInt64, {}), port("go", kBool, {}), Wire().bytes(1, "all")},
                       .outputs = {"on", "more"}};
  const ModelText text{.nodes        = {{"SequenceEmpty", {}, {"none"}},
                                        {"Loop", {"three", "", "none"}, {"sums"}, {body_attribute("body", body)}},
                                        {"ConcatFromSequence", {"sums"}, {"y"}, {int_attribute("axis", 0)}}},
                       .inputs       = {port("x", kFloat, {"1", "2"})},
                       .initializers = {ints("three", {}, {3})}};
  EXPECT_EQ(evaluate(text, ir::Array::of_floats({1, 2}, {1, 2})), ir::Array::of_floats({3, 2}, {2, 4, 2, 4, 2, 4}));
}

TEST(Sequences, AreMapped) {
  const ModelText body{.nodes   = {{"Mul", {"row", "whole"}, {"product"}}},
                       .inputs  = {port("row", kFloat, {}), port("whole", kFloat, {})},
                       .outputs = {"product"}};
  const ModelText text{.nodes        = {{"SequenceConstruct", {"x", "x"}, {"pair"}},
                                        {"SequenceMap", {"pair", "x"}, {"squares"}, {body_attribute("body", body)}},
                                        {"SequenceLength", {"pair"}, {"two"}},
                                        {"SequenceAt", {"squares", "one"}, {"square"}},
                                        {"OptionalHasElement", {"square"}, {"is_there"}},
                                        {"Where", {"is_there", "square", "x"}, {"y"}}},
                       .inputs       = kInput,
                       .initializers = {ints("one", {}, {1})}};
  EXPECT_EQ(evaluate(text, kRows), ir::Array::of_floats({3, 2}, {1, 4, 9, 16, 25, 36}));
}

// TypeProto: an optional value is field 9, a sequence field 4; both hold a TypeProto.
Wire port_of(const std::string& name, bool optional, bool sequence) {
  Wire type = Wire().message(1, Wire().number(1, kFloat).message(2, Wire().message(1, Wire().bytes(2, "n"))));
  if (sequence) type = Wire().message(4, Wire().message(1, type));
  if (optional) type = Wire().message(9, Wire().message(1, type));
  return Wire().bytes(1, name).message(2, type);
}

const ModelText kSum{.nodes  = {{"ConcatFromSequence", {"s"}, {"y"}, {int_attribute("axis", 0)}}},
                     .inputs = {port_of("s", false, true)}};

TEST(Sequences, AreInputsOfAsManyElementsAsAreGiven) {
  const Imported imported =
      import_bytes(model(kSum), "m.onnx", ops::table(), Numbers::read, {{{"s/0", {2}}, {"s/1", {1}}}, {}, {}, {}});
  ASSERT_EQ(imported.inputs.size(), 2U);
  EXPECT_EQ(imported.inputs[1].name, "s/1");
  EXPECT_EQ(imported.inputs[1].dimensions, (std::vector<std::string>{"n"}));
  const std::vector parts{ir::Array::of_floats({2}, {1, 2}), ir::Array::of_floats({1}, {3})};
  EXPECT_EQ(interpret::evaluate(imported.module, 0, parts)[0], ir::Array::of_floats({3}, {1, 2, 3}));
  EXPECT_EQ(error_of(kSum),
            "m.onnx: graph input \"s\": is a sequence of a length that is not known; give the shapes of its elements, "
            "\"s/0\" and so on");
}

TEST(Sequences, AndOptionalInputsMayBeEmpty) {
  const auto length = [](bool optional) {
    return ModelText{.nodes  = {{optional ? "OptionalHasElement" : "SequenceLength", {"s"}, {"y"}}},
                     .inputs = {port_of("s", optional, !optional)}};
  };
  const auto result = [&](bool optional, Given given) {
    const Imported imported = import_bytes(model(length(optional)), "m.onnx", ops::table(), Numbers::read, given);
    const std::vector<ir::Array> arguments(imported.inputs.size(), ir::Array::of_floats({1}, {0}));
    return interpret::evaluate(imported.module, 0, arguments)[0].at(0);
  };
  EXPECT_EQ(result(false, {{}, {}, {}, {"s"}}), 0);
  EXPECT_EQ(result(true, {{}, {}, {}, {"s"}}), 0);
  EXPECT_EQ(result(true, {}), 1);
}

// onnx-data.proto: a SequenceProto and an OptionalProto hold a tensor as field 3, a sequence as field 5.
TEST(Sequences, AreReadFromFiles) {
  const ir::Array one = ir::Array::of_floats({1}, {1}), two = ir::Array::of_floats({2}, {2, 3});
  const Wire sequence =
      Wire().bytes(1, "s").number(2, 1).message(3, floats("", {1}, {1})).message(3, floats("", {2}, {2, 3}));
  EXPECT_EQ(parse_sequence(sequence.text, "s.pb"), (std::vector{one, two}));
  EXPECT_EQ(parse_sequence(Wire().number(2, 2).message(5, sequence).text, "s.pb"), (std::vector{one, two}));
  EXPECT_TRUE(parse_sequence(Wire().bytes(1, "s").number(2, 1).text, "s.pb").empty());
  EXPECT_THROW(parse_sequence(sequence.text.substr(0, 9), "s.pb"), Error);
}

TEST(Sequences, AreRefusedWhereTheirLengthOrPlaceIsNotKnown) {
  EXPECT_EQ(
      error_of({.nodes = {{"SplitToSequence", {"x"}, {"y"}}}, .inputs = {port("x", kFloat, {"n", "2"})}}),
      "m.onnx: node 0: SplitToSequence does not know dimension 0 of its operand; give the inputs' shapes, or give "
      "the numbers of input \"x\", on which it depends");
  const auto at = [](const std::string& place) {
    return error_of({.nodes  = {{"SequenceConstruct", {"x", "x"}, {"pair"}}, {"SequenceAt", {"pair", place}, {"y"}}},
                     .inputs = {port("x", kFloat, {"2"}), port("i", kInt64, {})},
                     .initializers = {ints("two", {}, {2})}});
  };
  EXPECT_THAT(at("i"), testing::HasSubstr("SequenceAt has a position that is known at run time only"));
  EXPECT_EQ(at("two"), "m.onnx: node 1: SequenceAt has position 2 in a sequence of 2");
  EXPECT_EQ(error_of({.nodes = {{"SequenceConstruct", {"x"}, {"all"}}, {"Relu", {"all"}, {"y"}}}, .inputs = kInput}),
            "m.onnx: node 1: Relu takes tensors; operand 0 is a sequence");
  EXPECT_EQ(error_of({.nodes = {{"SequenceLength", {"x"}, {"y"}}}, .inputs = kInput}),
            "m.onnx: node 0: SequenceLength takes a sequence; operand 0 is a tensor");
}

}  // namespace
}  // namespace foreflow::onnx::sequences_test
