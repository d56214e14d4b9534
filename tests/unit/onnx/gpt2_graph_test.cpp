#include "foreflow/onnx/gpt2_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "foreflow/onnx/import.h"
#include "support/data.h"
#include "unit/onnx/fake_ops.h"

namespace foreflow::onnx::gpt2_graph_test {
namespace {

using test::fake_ops;
using Histogram = std::map<std::string, int>;

// Op names in order, without the initializers that became Constant ops.
std::vector<std::string> node_ops(const Imported& imported) {
  std::vector<std::string> ops;
  const ir::Function& main = imported.module.entry();
  for (const ir::Op& op : main.ops) {
    if (!main.value(main.output(op, 0)).name.starts_with("const_")) ops.emplace_back(op.def->name);
  }
  return ops;
}

// Everything but the names of intermediate values, and which parameters are weights: the small reference leaves all of
// them inputs.
void expect_same_graph(const ir::Function& ours, const ir::Function& theirs) {
  ASSERT_EQ(ours.parameters.size(), theirs.parameters.size());
  for (size_t i = 0; i < ours.parameters.size(); ++i) {
    EXPECT_EQ(ours.values[i].name, theirs.values[i].name);
    EXPECT_EQ(*ours.values[i].annotation, *theirs.values[i].annotation) << ours.values[i].name;
  }
  ASSERT_EQ(ours.ops.size(), theirs.ops.size());
  for (size_t i = 0; i < ours.ops.size(); ++i) {
    ASSERT_EQ(ours.ops[i].def, theirs.ops[i].def) << "op " << i;
    ASSERT_EQ(*ours.ops[i].attributes, *theirs.ops[i].attributes) << "op " << i;
  }
  EXPECT_EQ(ours.operands, theirs.operands);
  EXPECT_EQ(ours.results, theirs.results);
}

TEST(Gpt2Graph, HasTheRealExportsNodes) {
  const Imported imported = import_bytes(write_gpt2({}), "gpt2", fake_ops());
  EXPECT_EQ(imported.nodes, 32 + 12 * 211 + 17);
  Histogram counts;
  for (const std::string& op : node_ops(imported)) ++counts[op];
  const Histogram published = {{"Constant", 534},  {"Unsqueeze", 356},     {"Gather", 330}, {"Shape", 328},
                               {"Concat", 159},    {"Reshape", 147},       {"Mul", 110},    {"Add", 100},
                               {"Div", 74},        {"Cast", 73},           {"Sub", 62},     {"Transpose", 61},
                               {"ReduceMean", 50}, {"Gemm", 48},           {"Pow", 37},     {"Sqrt", 25},
                               {"MatMul", 24},     {"Slice", 24},          {"Split", 12},   {"Softmax", 12},
                               {"Tanh", 12},       {"ConstantOfShape", 1}, {"NonZero", 1},  {"Squeeze", 1}};
  EXPECT_EQ(counts, published);
}

TEST(Gpt2Graph, EqualsTheReferenceGraphsOpByOp) {
  const auto expect_equal = [](const std::string& file, const Gpt2Size& size) {
    SCOPED_TRACE(file);
    const Imported ours   = import_bytes(write_gpt2(size), "ours", fake_ops());
    const Imported theirs = import_model(test::data("onnx/" + file), fake_ops());
    expect_same_graph(ours.module.entry(), theirs.module.entry());
    EXPECT_EQ(ours.module.entry().parameters == theirs.module.entry().parameters, file == "gpt2.onnx");
  };
  expect_equal("gpt2.onnx", {});
  expect_equal("tiny.onnx", {.layers = 2, .heads = 2, .hidden = 8, .vocabulary = 20, .positions = 16});
}

TEST(Gpt2Graph, Of175BillionParametersHas20305Nodes) {
  const std::string bytes = write_gpt2({.layers = 96, .heads = 96, .hidden = 12288, .positions = 2048});
  EXPECT_EQ(import_bytes(bytes, "gpt3", fake_ops()).nodes, 20305);
}

TEST(Gpt2Graph, RefusesSizesThatMakeNoModel) {
  const auto complaint = [](const Gpt2Size& size) -> std::string {
    try {
      write_gpt2(size);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint({.heads = 7}), "gpt2: hidden 768 is not a multiple of the 7 heads");
  EXPECT_EQ(complaint({.layers = 0}), "gpt2: layers is 0; it must be positive");
}

}  // namespace
}  // namespace foreflow::onnx::gpt2_graph_test
