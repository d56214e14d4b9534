// Functions that a model defines are written out, within limits.
#include <gmock/gmock.h>

#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::functions_test {
namespace {

using namespace foreflow::test;

Imported import(const std::string& bytes) { return import_bytes(bytes, "m.onnx", ops::table()); }

std::string error_of(const std::string& bytes) {
  try {
    import(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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
  const Imported imported = import(with_function(kCaller, "LeakyRelu", 13));
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

TEST(FunctionsOfAModel, AreRefusedInAnotherOpsetAndWhereTheyCallThemselves) {
  EXPECT_EQ(error_of(with_function(kCaller, "LeakyRelu", 12)),
            "m.onnx: node 0: function \"twice\" is written in opset 12, the model in opset 13; inline it with "
            "onnx.inliner.inline_local_functions");
  EXPECT_EQ(error_of(with_function(kCaller, "twice", 13)),
            "m.onnx: node 0: twice: function \"twice\" calls itself; functions of a model may not");
}

// A function of domain "loc" that applies `ops` to x, one after the other.
Wire chain(const std::string& name, const std::vector<NodeText>& nodes, const std::string& overload = "") {
  Wire function;
  function.bytes(1, name).bytes(4, "x").bytes(5, "y");
  for (const NodeText& text : nodes) function.message(7, node(text));
  function.bytes(10, "loc");
  if (!overload.empty()) function.bytes(13, overload);
  return Wire().message(25, function);
}

NodeText call(const std::string& name, const std::string& x, const std::string& y) {
  return {name, {x}, {y}, {}, "", "loc"};
}

// f0 calls f1, which calls f2, and so on, each `times` times; the last one is a Relu.
std::string nested(int levels, int times) {
  std::string bytes = model({.nodes = {call("f0", "x", "y")}});
  for (int level = 0; level < levels; ++level) {
    std::vector<NodeText> nodes;
    for (int i = 0; i < times; ++i) {
      const std::string from = i == 0 ? "x" : "h" + std::to_string(i),
                        to   = i + 1 == times ? "y" : "h" + std::to_string(i + 1);
      nodes.push_back(level + 1 == levels ? NodeText{"Relu", {from}, {to}}
                                          : call("f" + std::to_string(level + 1), from, to));
    }
    bytes += chain("f" + std::to_string(level), nodes).text;
  }
  return bytes;
}

TEST(FunctionsOfAModel, MayNestALittle) { EXPECT_EQ(import(nested(5, 2)).module.entry().ops.size(), 32); }

TEST(FunctionsOfAModel, AreRefusedWhereTheyNestTooDeep) {
  EXPECT_EQ(error_of(nested(5000, 1)),
            "m.onnx: node 0: function \"f200\" is called through 200 others; fewer levels would be right");
}

TEST(FunctionsOfAModel, AreRefusedWhereTheirCallsMultiply) {
  EXPECT_THAT(error_of(nested(64, 2)),
              testing::MatchesRegex("m.onnx: node 0: function \"f[0-9]+\" makes the model grow beyond 200000 nodes, or "
                                    "1 GiB, when its calls are written out; give it fewer"));
}

TEST(FunctionsOfAModel, AreToldApartByTheirOverload) {
  NodeText caller = call("f", "x", "y");
  Wire graph_node = node(caller);
  graph_node.bytes(8, "b");
  Wire graph;
  graph.message(1, graph_node)
      .bytes(2, "graph")
      .message(11, port("x", kFloat, {"2"}))
      .message(12, Wire().bytes(1, "y"));
  const std::string bytes = Wire().number(1, 10).message(7, graph).message(8, Wire().number(2, 13)).text +
                            chain("f", {{"Relu", {"x"}, {"y"}}}, "a").text +
                            chain("f", {{"Tanh", {"x"}, {"y"}}}, "b").text;
  EXPECT_THAT(ir::print(import(bytes).module), testing::HasSubstr("%y = Tanh(%x)"));
  EXPECT_EQ(error_of(bytes + chain("f", {}, "b").text),
            "m.onnx: function \"f\" with overload \"b\" stands twice in the file");
}

TEST(FunctionsOfAModel, AreRefusedWithMoreOperandsThanTheyHave) {
  EXPECT_EQ(
      error_of(model({.nodes = {{"f", {"x", "x"}, {"y"}, {}, "", "loc"}}}) + chain("f", {{"Relu", {"x"}, {"y"}}}).text),
      "m.onnx: node 0: function \"f\" has 1 operands; the call has 2");
}

}  // namespace
}  // namespace foreflow::onnx::functions_test
