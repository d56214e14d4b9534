// Which dimensions of an exported model's inputs count its samples.
#include <gtest/gtest.h>

#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "unit/onnx/bytes.h"

namespace foreflow::scenario::separate_samples_test {
namespace {

using namespace foreflow::test;

// A class token expanded to the batch stands beside x and w, whose batches have names of their own.
ir::Module separated(const std::string& other, const std::vector<std::string>& third) {
  const ModelText text{
      .nodes        = {{"Shape", {"x"}, {"s"}},
                       {"Expand", {"token", "s"}, {"tokens"}},
                       {"Concat", {"tokens", "x", "w"}, {"y"}, {int_attribute("axis", 1)}}},
      .inputs       = {port("x", kFloat, {"n", "3"}), port("w", kFloat, {other, "2"}), port("v", kFloat, third)},
      .initializers = {floats("token", {1, 3}, {1, 2, 3})}};
  const onnx::Imported imported = onnx::import_bytes(model(text), "m.onnx", ops::table());
  std::map<std::string, int64_t> sizes{{"n", 4}, {other, 4}};
  return with_separate_samples(imported, with_sizes(imported, {{}, sizes}));
}

bool repeats(const ir::Module& module) {
  for (const ir::Op& op : module.entry().ops) {
    if (op.def->name == "RepeatLike") return true;
  }
  return false;
}

TEST(SeparateSamples, KnowsTheBatchUnderEveryName) {
  EXPECT_TRUE(repeats(separated("n", {"3"})));
  EXPECT_TRUE(repeats(separated("m", {"3"})));
  EXPECT_FALSE(repeats(separated("m", {"3", "m"})));  // also a dimension that is not outermost: a sequence, it may be
}

// A mask of past and new positions is gathered by sample * total + position; batches of other sizes tell so only where
// the total stays one more than the past.
TEST(SeparateSamples, KeepsTotalsOfPositionsInSmallerSizes) {
  const ModelText text{
      .nodes        = {{"Concat", {"past", "x"}, {"keys"}, {int_attribute("axis", 1)}},
                       {"Shape", {"keys"}, {"s"}},
                       {"Gather", {"s", "zero"}, {"b"}},
                       {"Gather", {"s", "one"}, {"n"}},
                       {"Range", {"zero", "b", "one"}, {"samples"}},
                       {"Range", {"zero", "n", "one"}, {"positions"}},
                       {"Unsqueeze", {"samples", "axes"}, {"column"}},
                       {"Mul", {"column", "n"}, {"first"}},
                       {"Add", {"first", "positions"}, {"places"}},
                       {"Reshape", {"mask", "flat"}, {"all"}},
                       {"Gather", {"all", "places"}, {"y"}}},
      .inputs       = {port("mask", kFloat, {"batch", "total"}), port("past", kFloat, {"batch", "past", "4"}),
                       port("x", kFloat, {"batch", "1", "4"})},
      .initializers = {ints("zero", {}, {0}), ints("one", {}, {1}), ints("axes", {1}, {1}), ints("flat", {1}, {-1})}};
  const onnx::Imported imported = onnx::import_bytes(model(text), "m.onnx", ops::table());
  const ir::Module module =
      with_separate_samples(imported, with_sizes(imported, {{}, {{"batch", 4}, {"past", 4096}, {"total", 4097}}}));
  int within_samples = 0;
  for (const ir::Op& op : module.entry().ops)
    within_samples += op.def->name == "Gather" && op.attributes->int_or("axis", 0) == 1 ? 1 : 0;
  EXPECT_EQ(within_samples, 1);
}

// x[sequence,batch,4] and lengths[batch]: only x has its samples elsewhere.
TEST(SamplesFirst, MovesTheDimensionThatIsNamedAfterTheBatch) {
  const auto imported = [](const std::string& first, const std::string& second) {
    const ModelText text{.nodes  = {{"Add", {"x", "w"}, {"y"}}},
                         .inputs = {port("x", kFloat, {first, second, "4"}), port("w", kFloat, {second, "1"})}};
    onnx::Imported made = onnx::import_bytes(model(text), "m.onnx", ops::table());
    made.module         = with_sizes(made, {{}, {{first, 3}, {second, 8}}});
    return made;
  };
  const onnx::Imported moved = with_samples_first(imported("sequence", "batch"));
  const ir::Function& entry  = moved.module.entry();
  EXPECT_EQ(entry.values[0].annotation->dims, (ir::Dims{8, 3, 4}));
  EXPECT_EQ(entry.values[1].annotation->dims, (ir::Dims{8, 1}));
  EXPECT_EQ(moved.inputs[0].dimensions, (std::vector<std::string>{"batch", "sequence", "4"}));
  EXPECT_EQ(entry.ops[0].def->name, "Transpose");
  EXPECT_EQ(*entry.ops[0].attributes->find_ints("perm"), (std::vector<int64_t>{1, 0, 2}));
  const onnx::Imported kept = imported("batch_size", "batch");
  EXPECT_EQ(with_samples_first(kept).module.entry().ops.size(), 1U);
  EXPECT_EQ(with_samples_first(imported("s", "t")).module.entry().ops.size(), 1U);
}

}  // namespace
}  // namespace foreflow::scenario::separate_samples_test
