// Ops of ONNX Runtime and of PyTorch's exporter, restated as rows of the op table.
#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::contrib_test {
namespace {

using namespace foreflow::test;

const std::string kRuntime = "com.microsoft", kAten = "org.pytorch.aten";

Wire text_attribute(const std::string& name, const std::string& value) {
  return Wire().bytes(1, name).bytes(4, value).number(20, 3);
}

// The line of the program's only op.
std::string line_of(const std::string& domain, const NodeText& node) {
  NodeText placed = node;
  placed.domain   = domain;
  std::vector<Wire> inputs;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) inputs.push_back(port(name, kFloat, {"", ""}));
  const std::string bytes = model({.nodes = {placed}, .inputs = inputs, .outputs = {}});
  const std::string text  = ir::print(import_bytes(bytes, "m.onnx", ops::table()).module);
  const size_t first      = text.find("{\n  ") + 4;
  return text.substr(first, text.find('\n', first) - first);
}

std::string error_of(const std::string& domain, const NodeText& node) {
  try {
    return line_of(domain, node);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ContribOps, GradientsTakeTheirOperandsInTheOrderOfTheTable) {
  EXPECT_EQ(line_of(kRuntime, {"ReluGrad", {"a", "b"}, {"y"}}), "%y = ReluGrad(%b, %a)");
  EXPECT_EQ(line_of(kRuntime, {"FastGeluGrad", {"a", "b"}, {"y"}}), "%y = GeluGrad[approximate = \"tanh\"](%b, %a)");
  EXPECT_EQ(line_of(kRuntime, {"SoftmaxGrad_13", {"a", "b"}, {"y"}, {int_attribute("axis", -1)}}),
            "%y = SoftmaxGrad[axis = -1](%b, %a)");
  EXPECT_EQ(line_of(kRuntime, {"SoftmaxGrad", {"a", "b"}, {"y"}}), "%y = SoftmaxGrad[axis = 1, flatten = 1](%b, %a)");
  EXPECT_EQ(line_of(kRuntime, {"GatherGrad", {"a", "b", "c"}, {"y"}, {int_attribute("axis", 0)}}),
            "%y = GatherGrad[axis = 0](%b, %c, %a)");
  EXPECT_EQ(line_of(kRuntime, {"LayerNormalizationGrad", {"a", "b", "c", "d", "e"}, {"x", "y", "z"}}),
            "%x, %y, %z = LayerNormalizationGrad(%b, %c, %a)");
}

TEST(ContribOps, OtherNamesOfOnnxsOwnOpsAreThose) {
  EXPECT_EQ(line_of(kRuntime, {"ReduceSumTraining", {"a", "b"}, {"y"}, {int_attribute("keepdims", 0)}}),
            "%y = ReduceSum[keepdims = 0](%a, %b)");
  EXPECT_EQ(line_of(kRuntime, {"TransposeMatMul", {"a", "b"}, {"y"}, {int_attribute("transA", 1)}}),
            "%y = FusedMatMul[transA = 1](%a, %b)");
  EXPECT_EQ(line_of(kRuntime, {"Gelu", {"a"}, {"y"}}), "%y = Gelu(%a)");
}

TEST(ContribOps, KeepTheirNamesWhereTheTableHasThem) {
  EXPECT_EQ(line_of(kRuntime, {"BiasGelu", {"a", "b"}, {"y"}}), "%y = BiasGelu(%a, %b)");
  EXPECT_EQ(line_of(kRuntime, {"SGDOptimizer", {"a", "b", "c"}, {"y"}}), "%y = DescentStep(%a, %b, %c)");
}

TEST(ContribOps, AtenSaysItsOperatorInAnAttribute) {
  EXPECT_EQ(line_of(kAten, {"ATen", {"a", "b", "c", "d", "e"}, {"y"}, {text_attribute("operator", "embedding")}}),
            "%y = Gather(%a, %b)");
  EXPECT_EQ(line_of(kAten, {"ATen",
                            {"a", "b", "c", "d", "e", "f"},
                            {"y"},
                            {text_attribute("operator", "embedding_backward"), text_attribute("overload_name", "")}}),
            "%y = EmbeddingGrad(%a, %b, %c, %d, %e)");
  EXPECT_EQ(error_of(kAten, {"ATen", {"a"}, {"y"}, {text_attribute("operator", "unfold")}}),
            "m.onnx: node 0: ATen operator \"unfold\" is not supported; embedding and embedding_backward are");
}

TEST(ContribOps, DataTypesOfResultsBecomeNames) {
  EXPECT_EQ(
      line_of(kRuntime, {"SoftmaxCrossEntropyLossInternal", {"a", "b"}, {"y"}, {int_attribute("output_type", 10)}}),
      "%y = SoftmaxCrossEntropyLossInternal[output_type = \"Float16\"](%a, %b)");
  EXPECT_EQ(
      error_of(kRuntime, {"SoftmaxCrossEntropyLossInternal", {"a", "b"}, {"y"}, {int_attribute("output_type", 8)}}),
      "m.onnx: node 0: output_type STRING: this data type is not supported");
}

// The parameters s (floats) and z (bytes) of a 4-bit product with 32 columns of 8 blocks, which reads them as its
// scales and zero points, beside what `others` compute.
std::string block_parameters(int64_t scales, int64_t zeros, const std::vector<NodeText>& others = {}) {
  constexpr int64_t kBytes    = 2;
  std::vector<NodeText> nodes = {
      {"MatMulNBits",
       {"x", "w", "s", "z"},
       {"y"},
       {int_attribute("K", 512), int_attribute("N", 32), int_attribute("block_size", 64), int_attribute("bits", 4)},
       "",
       kRuntime}};
  nodes.insert(nodes.end(), others.begin(), others.end());
  const auto zero = [](int64_t elements) { return std::string(static_cast<size_t>(elements), '\0'); };
  const std::string bytes =
      model({.nodes        = nodes,
             .inputs       = {port("x", kFloat, {"2", "512"})},
             .initializers = {tensor("w", kBytes, {32, 8, 32}).bytes(9, zero(32 * 8 * 32)),
                              floats("s", {scales}, std::vector<float>(static_cast<size_t>(scales), 1)),
                              tensor("z", kBytes, {zeros}).bytes(9, zero(zeros))}});
  const ir::Module made = import_bytes(bytes, "m.onnx", ops::table()).module;
  std::string text;
  for (const ir::Value& value : made.entry().values) {
    if (value.name == "s" || value.name == "z") text += value.name + " " + ir::to_string(value.annotation->dims) + " ";
  }
  return text;
}

TEST(ContribOps, ListsOfTheScalesOfBlocksBecomeMatrices) {
  EXPECT_EQ(block_parameters(256, 256), "s (32, 8) z (256,) ") << "no length of packed zero points";
  EXPECT_EQ(block_parameters(256, 128), "s (32, 8) z (32, 4) ");
  EXPECT_EQ(block_parameters(255, 128), "s (255,) z (32, 4) ") << "the type rule refuses it by its own length";
  EXPECT_EQ(block_parameters(256, 128, {{"Neg", {"s"}, {"n"}}}), "s (256,) z (32, 4) ") << "another op reads the list";
}

TEST(ContribOps, OperandsThatAreMissingAreReported) {
  EXPECT_EQ(error_of(kRuntime, {"ReluGrad", {"a"}, {"y"}}),
            "m.onnx: node 0: has 1 operands; at least 2 would be right");
  EXPECT_EQ(error_of(kRuntime, {"NGramRepeatBlock", {"a"}, {"y"}}),
            "m.onnx: node 0: op NGramRepeatBlock (domain com.microsoft, opset 1) is not supported");
}

}  // namespace
}  // namespace foreflow::onnx::contrib_test
