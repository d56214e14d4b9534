#include "foreflow/onnx/import.h"

#include <gtest/gtest.h>

#include <fstream>

#include "foreflow/binary/distirb.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/temporary.h"
#include "unit/onnx/bytes.h"
#include "unit/onnx/fake_ops.h"

namespace foreflow::onnx::import_test {
namespace {

using namespace foreflow::test;

Imported import(const ModelText& text) { return import_bytes(model(text), "m.onnx", fake_ops()); }
std::string printed(const ModelText& text) { return ir::print(import(text).module); }

TEST(OnnxImport, MakesInputsDataInitializersWeightsAndNodesOps) {
  const Imported imported = import({.nodes  = {{"MatMul", {"x", "h.0.attn.weight"}, {"p"}}, {"Relu", {"p"}, {"y"}}},
                                    .inputs = {port("x", kFloat, {"batch", "3"})},
                                    .initializers = {floats("h.0.attn.weight", {3, 2}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_EQ(ir::print(imported.module),
            "func @graph(%x: Tensor[Float32, (?, 3)], weight %h.0.attn.weight: Tensor[Float32, (3, 2)]) {\n"
            "  %p = MatMul(%x, %h.0.attn.weight)\n"
            "  %y = Relu(%p)\n"
            "  return %y\n"
            "}\n");
  EXPECT_EQ(imported.weights.at("h.0.attn.weight"), ir::Array::of_floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(imported.inputs.at(0).dimensions, (std::vector<std::string>{"batch", "3"}));
  EXPECT_EQ(imported.outputs.at(0).value, "y");
  EXPECT_EQ(imported.opset, 13);
  EXPECT_EQ(imported.nodes, 2);
}

TEST(OnnxImport, TurnsInitializersThatShapesDependOnIntoConstants) {
  const std::vector<float> many(65, 0.5f);
  const Imported imported = import({.nodes        = {{"Reshape", {"x", "shape"}, {"a"}},
                                                     {"Mul", {"a", "one"}, {"b"}},
                                                     {"Resize", {"b", "", "scales"}, {"c"}},
                                                     {"Add", {"c", "w"}, {"y"}}},
                                    .initializers = {ints("shape", {2}, {3, -1}), floats("one", {}, {0.5f}),
                                                     floats("scales", {2}, {1, 2}), floats("w", {2}, {7, 8})}});
  EXPECT_EQ(ir::print(imported.module),
            "func @graph(%x: Tensor[Float32, (2, 3)], weight %w: Tensor[Float32, (2,)]) {\n"
            "  %shape = Constant[value = Int64(2,)[3, -1]]()\n"
            "  %a = Reshape(%x, %shape)\n"
            "  %one = Constant[value = Float32()[0.5]]()\n"
            "  %b = Mul(%a, %one)\n"
            "  %scales = Constant[value = Float32(2,)[1, 2]]()\n"
            "  %c = Resize(%b, _, %scales)\n"
            "  %y = Add(%c, %w)\n"
            "  return %y\n"
            "}\n");
}

TEST(OnnxImport, CountsAnInitializerThatIsAlsoAnInputAsInitializerAndLeavesOutUnusedOnes) {
  const Imported imported = import({.nodes        = {{"Add", {"x", "w"}, {"y"}}},
                                    .inputs       = {port("w", kFloat, {"3"}), port("x", kFloat, {"2", "3"})},
                                    .initializers = {floats("w", {3}, {1, 2, 3}), floats("idle", {3}, {1, 2, 3})},
                                    .ir_version   = 3});
  ASSERT_EQ(imported.inputs.size(), 1u);
  EXPECT_EQ(imported.inputs[0].name, "x");
  EXPECT_EQ(imported.weights.size(), 1u);
}

TEST(OnnxImport, GivesNamesThatNoFormOfAProgramTakesForComments) {
  const Imported imported = import_bytes(
      model({.nodes = {{"Add", {"//x", "//w"}, {"//Add"}}, {"Relu", {"//Add"}, {"_/Add"}}, {"Relu", {"_/Add"}, {"//"}}},
             .inputs       = {port("//x", kFloat, {"2", "3"})},
             .outputs      = {"//"},
             .initializers = {floats("//w", {3}, {1, 2, 3})},
             .graph_name   = "//g"}),
      "m.onnx", ops::table());
  const std::string text = ir::print(imported.module);
  EXPECT_EQ(text,
            "func @_/g(%_/x: Tensor[Float32, (2, 3)], weight %_/w: Tensor[Float32, (3,)]) {\n"
            "  %_/Add = Add(%_/x, %_/w)\n"
            "  %_/Add_2 = Relu(%_/Add)\n"
            "  %_/ = Relu(%_/Add_2)\n"
            "  return %_/\n"
            "}\n");
  EXPECT_EQ(ir::print(ir::parse(text, "text", ops::table())), text);
  EXPECT_EQ(ir::print(binary::read(binary::write(imported.module), "m.distirb", ops::table())), text);
  EXPECT_EQ(imported.inputs.at(0).name, "//x") << "as in the file";
  EXPECT_EQ(imported.inputs.at(0).value, "_/x");
  EXPECT_EQ(imported.weights.at("_/w"), ir::Array::of_floats({3}, {1, 2, 3}));
}

TEST(OnnxImport, PutsNodesInTopologicalOrderAndKeepsTheFilesOrderOtherwise) {
  const std::string text = printed(
      {.nodes = {{"Add", {"b", "c"}, {"y"}}, {"Relu", {"x"}, {"c"}}, {"Tanh", {"x"}, {"b"}}, {"Sqrt", {"x"}, {"d"}}}});
  EXPECT_LT(text.find("%c ="), text.find("%b ="));
  EXPECT_LT(text.find("%b ="), text.find("%y ="));
  EXPECT_LT(text.find("%y ="), text.find("%d ="));
}

TEST(OnnxImport, TakesTheLastOfTwoConstantsForOneValue) {
  const auto constant = [](int64_t value) {
    return NodeText{"Constant", {}, {"c"}, {int_attribute("value_int", value)}};
  };
  const std::string text = printed({.nodes = {constant(12), {"Div", {"x", "c"}, {"y"}}, constant(2)}});
  EXPECT_NE(text.find("%c = Constant[value = Int64()[2]]()\n  %y = Div(%x, %c)"), std::string::npos) << text;
  EXPECT_EQ(text.find("[12]"), std::string::npos);
}

TEST(OnnxImport, KeepsNamesThatTheTextFormCanHoldAndTellsTheOthersApart) {
  const Imported imported = import({.nodes  = {{"Add", {"onnx::MatMul_499", "gpu_0/data_0"}, {"a b"}},
                                               {"Add", {"a b", "x:0"}, {"a_b"}},
                                               {"Add", {"a_b", "v7"}, {"y"}}},
                                    .inputs = {port("onnx::MatMul_499", kFloat, {}), port("gpu_0/data_0", kFloat, {}),
                                               port("x:0", kFloat, {}), port("v7", kFloat, {})}});
  std::vector<std::string> names;
  for (const ir::Value& value : imported.module.entry().values) names.push_back(value.name);
  EXPECT_EQ(names, (std::vector<std::string>{"onnx::MatMul_499", "gpu_0/data_0", "x_0", "v7_", "a_b", "a_b_2", "y"}));
  EXPECT_EQ(imported.inputs[2].name, "x:0");
  EXPECT_EQ(imported.inputs[2].value, "x_0");
}

TEST(OnnxImport, PrintsTextThatParsesBack) {
  const Imported imported = import(
      {.nodes =
           {{"Split", {"::x", ""}, {"a::", "", "c"}, {ints_attribute("split", {1, 1, 1}), int_attribute("axis", -1)}},
            {"Add", {"a::", "c"}, {"y"}}},
       .inputs     = {port("::x", kFloat, {"2", "3"})},
       .graph_name = "torch jit (1)"});
  const std::string text = ir::print(imported.module);
  EXPECT_EQ(ir::print(ir::parse(text, "again", fake_ops())), text);
}

TEST(OnnxImport, ReadsEveryKindOfAttribute) {
  EXPECT_EQ(printed({.nodes = {{"FastGelu",
                                {"x"},
                                {"y"},
                                {int_attribute("i", -5), float_attribute("f", 1e-5f),
                                 Wire().bytes(1, "s").bytes(4, "text").number(20, 3), ints_attribute("is", {1, -2}),
                                 floats_attribute("fs", {0.1f, 2}), tensor_attribute("t", ints("", {1}, {9})),
                                 Wire().bytes(1, "ss").bytes(9, "a").bytes(9, "b").number(20, 8)},
                                "",
                                "com.microsoft"}}}),
            "func @graph(%x: Tensor[Float32, (2, 3)]) {\n"
            "  %y = FastGelu[i = -5, f = 1e-05, s = \"text\", is = [1, -2], fs = [0.1, 2.0], t = Int64(1,)[9], ss = "
            "[\"a\", \"b\"]](%x)\n"
            "  return %y\n"
            "}\n");
}

TEST(OnnxImport, FillsTheZerosOfSparseInitializers) {
  const Wire sparse =
      Wire().message(1, floats("w", {2}, {5, 7})).message(2, ints("", {2, 2}, {0, 1, 1, 2})).number(3, 2).number(3, 3);
  const Imported imported = import({.nodes = {{"Add", {"x", "w"}, {"y"}}}, .sparse_initializers = {sparse}});
  EXPECT_EQ(imported.weights.at("w"), ir::Array::of_floats({2, 3}, {0, 5, 0, 0, 0, 7}));
}

TEST(OnnxImport, KeepsOpsOfOtherDomainsThatTheTableHas) {
  EXPECT_NE(printed({.nodes = {{.op = "FastGelu", .inputs = {"x"}, .outputs = {"y"}, .domain = "com.microsoft"}}})
                .find("FastGelu(%x)"),
            std::string::npos);
}

// A model beside its weights.
class OnnxExternalData : public ::testing::Test {
 protected:
  OnnxExternalData() { std::ofstream(folder_ / "w.bin", std::ios::binary) << raw<float>({9, 1, 2, 3}); }

  Imported import_external(const std::string& location, const std::string& offset) {
    const auto entry = [](const std::string& key, const std::string& value) {
      return Wire().bytes(1, key).bytes(2, value);
    };
    const Wire w = tensor("w", kFloat, {3})
                       .message(13, entry("location", location))
                       .message(13, entry("offset", offset))
                       .number(14, 1);
    const std::string path = folder_ / "m.onnx";
    std::ofstream(path, std::ios::binary) << model({.nodes = {{"Add", {"x", "w"}, {"y"}}}, .initializers = {w}});
    return import_model(path, fake_ops());
  }
  std::string complaint(const std::string& location, const std::string& offset) {
    try {
      import_external(location, offset);
    } catch (const Error& error) {
      return error.problem();
    }
    return "none";
  }

  const test::TemporaryFolder folder_;
};

TEST_F(OnnxExternalData, IsReadFromTheFileBesideTheModel) {
  EXPECT_EQ(import_external("w.bin", "4").weights.at("w"), ir::Array::of_floats({3}, {1, 2, 3}));
}

TEST_F(OnnxExternalData, ThatIsNotThereLeavesAWeightWithoutNumbers) {
  const Imported imported = import_external("absent.bin", "0");
  EXPECT_TRUE(imported.weights.empty());
  EXPECT_EQ(imported.module.entry().parameters.size(), 2u);
}

TEST_F(OnnxExternalData, MustBeWholeAndInTheModelsFolder) {
  EXPECT_EQ(complaint("w.bin", "8"), (folder_ / "w.bin") + " ends before byte 8 + 12; it has 16");
  EXPECT_EQ(complaint("../w.bin", "0"), "external_data location \"../w.bin\" is outside the model's folder");
  EXPECT_EQ(complaint("/etc/passwd", "0"), "external_data location \"/etc/passwd\" is outside the model's folder");
  EXPECT_EQ(complaint("w.bin", "four"), "external_data offset \"four\" is not a number of bytes");
}

}  // namespace
}  // namespace foreflow::onnx::import_test
