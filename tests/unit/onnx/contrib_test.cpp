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

TEST(ContribOps, OperandsThatAreMissingAreReported) {
  EXPECT_EQ(error_of(kRuntime, {"ReluGrad", {"a"}, {"y"}}),
            "m.onnx: node 0: has 1 operands; at least 2 would be right");
  EXPECT_EQ(error_of(kRuntime, {"NGramRepeatBlock", {"a"}, {"y"}}),
            "m.onnx: node 0: op NGramRepeatBlock (domain com.microsoft, opset 1) is not supported");
}

}  // namespace
}  // namespace foreflow::onnx::contrib_test
