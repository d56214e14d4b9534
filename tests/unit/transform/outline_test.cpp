// What outline takes for a block, and what becomes a parameter, a constant or a result of its function.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/ir/text.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/blocks.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::transform::outline_test {
namespace {

ir::Module parsed(const std::string& text) { return ir::parse(text, "test", ops::table()); }

// @main(%x, %w0, ...) of `layers` times `layer`, in which '#' is the number of the layer and '<' that of the one
// before.
std::string layered(int layers, const std::string& layer) {
  std::string parameters = "%x0: Tensor[Float32, (2, 4)]", body;
  for (int i = 1; i <= layers; ++i) {
    parameters += ", weight %w" + std::to_string(i) + ": Tensor[Float32, (4, 4)]";
    for (const char c : layer)
      body += c == '#' ? std::to_string(i) : c == '<' ? std::to_string(i - 1) : std::string(1, c);
  }
  return "func @main(" + parameters + ") {\n" + body + "  return %x" + std::to_string(layers) + "\n}\n";
}

const std::string kLayer = "  %a# = MatMul(%x<, %w#)\n  %b# = Relu(%a#)\n  %x# = Add(%b#, %x<)\n";

TEST(Outline, MakesOneFunctionOfEqualLayers) {
  const ir::Module outlined = outline(parsed(layered(3, kLayer)), 3);
  EXPECT_EQ(ir::print(outlined), R"(func @block_0(%x, weight %w) {
  %a = MatMul(%x, %w)
  %b = Relu(%a)
  %x_2 = Add(%b, %x)
  return %x_2
}

func @main(%x0: Tensor[Float32, (2, 4)], weight %w1: Tensor[Float32, (4, 4)], weight %w2: Tensor[Float32, (4, 4)], weight %w3: Tensor[Float32, (4, 4)]) {
  %x1 = @block_0(%x0, %w1)
  %x2 = @block_0(%x1, %w2)
  %x3 = @block_0(%x2, %w3)
  return %x3
}
)");
}

TEST(Outline, KeepsBlocksBelowTheLimitsAsTheyAre) {
  const ir::Module module = parsed(layered(3, kLayer));
  EXPECT_TRUE(ir::same_program(outline(module, 4), module));
  EXPECT_TRUE(ir::same_program(outline(module, 3, 4), module));
}

TEST(Outline, TakesEqualConstantsInsideAndOthersAsParameters) {
  const std::string layer =
      "  %two# = Constant[value = Float32()[2.0]]()\n  %own# = Constant[value = Float32()[#.5]]()\n"
      "  %a# = MatMul(%x<, %w#)\n  %b# = Mul(%a#, %two#)\n  %x# = Add(%b#, %own#)\n";
  const ir::Module outlined = outline(parsed(layered(2, layer)), 3);
  ASSERT_EQ(outlined.functions.size(), 2U);
  EXPECT_EQ(ir::print(outlined.functions[0], outlined), R"(func @block_0(%x, weight %w, %own) {
  %two = Constant[value = Float32()[2]]()
  %a = MatMul(%x, %w)
  %b = Mul(%a, %two)
  %x_2 = Add(%b, %own)
  return %x_2
}
)");
  EXPECT_EQ(outlined.entry().ops.size(), 4U);  // two constants, two calls
}

// One Constant is 2 in both layers and also what one of them takes where the other takes 3.
TEST(Outline, KeepsAConstantOutsideThatIsAnArgumentToo) {
  const ir::Module outlined = outline(parsed(R"(func @main(%x: Tensor[Float32, (2, 4)]) {
  %a = Constant[value = Float32()[2.0]]()
  %b = Constant[value = Float32()[2.0]]()
  %c = Constant[value = Float32()[3.0]]()
  %p = Mul(%x, %a)
  %q = Add(%p, %a)
  %r = Relu(%q)
  %s = Mul(%r, %b)
  %t = Add(%s, %c)
  %u = Relu(%t)
  return %u
}
)"),
                                      3);
  ASSERT_EQ(outlined.functions.size(), 2U);
  EXPECT_EQ(outlined.functions[0].parameters.size(), 3U);
  EXPECT_EQ(outlined.functions[0].ops.size(), 3U);
}

TEST(Outline, DoesNotMatchOtherAttributesTypesOrDataflow) {
  const std::string same = "  %a# = Transpose[perm = [0, 1]](%x<)\n  %b# = Relu(%a#)\n  %x# = Add(%b#, %x<)\n";
  const auto functions   = [](const std::string& text) { return outline(parsed(text), 3).functions.size(); };
  std::string text       = layered(2, same);
  EXPECT_EQ(functions(text), 2U);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    return copy.replace(copy.find(from), from.size(), to);
  };
  EXPECT_EQ(functions(changed("perm = [0, 1]](%x1)", "perm = [1, 0]](%x1)")), 1U);
  EXPECT_EQ(functions(changed("%b2 =", "%b2: Tensor[Float32, (2, 4)] =")), 1U);
  EXPECT_EQ(functions(changed("Relu(%a2)", "Relu(%x1)")), 1U);
  // What comes from outside may be anything.
  EXPECT_EQ(functions(changed("Add(%b2, %x1)", "Add(%b2, %x0)")), 2U);
}

TEST(Outline, ReturnsWhatAnyCallerUses) {
  std::string text = layered(3, kLayer);
  text.replace(text.find("return"), 6, "%late = Add(%b2, %x3)\n  return %late,");
  const ir::Module outlined = outline(parsed(text), 3);
  EXPECT_EQ(outlined.functions[0].results.size(), 2U);
}

TEST(Outline, FindsBlocksInsideBlocks) {
  const std::string layer =
      "  %a# = MatMul(%x<, %w#)\n  %b# = Relu(%a#)\n  %c# = Add(%b#, %x<)\n"
      "  %d# = MatMul(%c#, %w#)\n  %e# = Relu(%d#)\n  %f# = Add(%e#, %c#)\n  %x# = Tanh(%f#)\n";
  const ir::Module outlined = outline(parsed(layered(4, layer)), 3);
  ASSERT_EQ(outlined.functions.size(), 3U) << ir::print(outlined);
  EXPECT_EQ(outlined.functions[0].ops.size(), 3U);  // half a layer, called twice by
  EXPECT_EQ(outlined.functions[1].ops.size(), 3U);  // a layer, called four times by
  EXPECT_EQ(outlined.functions[2].ops.size(), 4U);  // the entry
}

TEST(Outline, FindsTheLayersOfGpt2) {
  for (const int64_t layers : {2, 6, 12}) {
    const ir::Module module =
        onnx::import_bytes(onnx::write_gpt2({layers, 2, 8, 11, 16}), "gpt2", ops::table(), onnx::Numbers::skip).module;
    const ir::Module outlined = outline(module, 64);
    ASSERT_EQ(outlined.functions.size(), 2U);
    const ir::Function& block = outlined.functions[0];
    // Two normalizations, two projections of attention, two of the perceptron, each with two weights; the mask's
    // triangle.
    EXPECT_EQ(std::count(block.parameters.begin(), block.parameters.end(), ir::ParameterRole::weight), 13);
    EXPECT_EQ(std::count_if(outlined.entry().ops.begin(), outlined.entry().ops.end(),
                            [](const ir::Op& op) { return op.is_call(); }),
              layers);
    EXPECT_EQ(outlined.entry().ops.size() + static_cast<size_t>(layers) * (block.ops.size() - 1),
              module.entry().ops.size());
  }
}

TEST(Inline, RefusesFunctionsThatAreNotThere) {
  const ir::Module outlined = outline(parsed(layered(3, kLayer)), 3);
  const auto refused        = [&](std::string_view name) -> std::string {
    try {
      inline_calls(outlined, name);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused("block_1"), "test: has no function @block_1; the nearest is \"@block_0\"");
  EXPECT_EQ(refused("main"),
            "--pass: function: @main is the entry, which is never called; name a function that is called");
}

TEST(Inline, WritesOutTheNamedFunctionAlone) {
  const ir::Module module = parsed(R"(func @f(%x) {
  %y = Relu(%x)
  return %y
}
func @g(%x) {
  %y = @f(%x)
  %z = Tanh(%y)
  return %z
}
func @main(%x) {
  %a = @g(%x)
  %b = @f(%a)
  return %b
}
)");
  EXPECT_EQ(ir::print(inline_calls(module, "g")), R"(func @f(%x) {
  %y = Relu(%x)
  return %y
}

func @main(%x) {
  %y = @f(%x)
  %a = Tanh(%y)
  %b = @f(%a)
  return %b
}
)");
  EXPECT_EQ(ir::print(inline_calls(module)), R"(func @main(%x) {
  %y = Relu(%x)
  %a = Tanh(%y)
  %b = Relu(%a)
  return %b
}
)");
}

}  // namespace
}  // namespace foreflow::transform::outline_test
