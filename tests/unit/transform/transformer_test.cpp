// Blocks of a transformer are recognised by what a program computes, whatever its names and however it writes them.
#include "transform/tensor/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/llama_layer.h"
#include "support/shared.h"

namespace foreflow::transform::transformer_test {
namespace {

using Lines = std::vector<std::string>;

Lines recognised(const ir::Module& module) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  return describe(recognise(module.entry(), interpretation.entry().values), module.entry());
}

Lines recognised(std::string_view text) { return recognised(ir::parse(std::string(text), "test", ops::table())); }

TEST(Recognise, FindsTheBlocksOfAFamilyInTraining) {
  const ir::Module gpt = test::family(
      "gpt", R"({"layers": 3, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 6})", 2, workload::Mode::training);
  const Lines expected = {"3 MLP blocks (up, down)", "3 attention blocks (q|k|v in one product)", "embedding %wte",
                          "LM head %wte, tied to the embedding"};
  EXPECT_EQ(recognised(gpt), expected);
  EXPECT_EQ(recognised(resolve(differentiate(gpt, ops::table()))), expected);
}

TEST(Recognise, FindsGroupedQueriesAndGates) {
  EXPECT_EQ(recognised(test::kLlama),
            (Lines{"1 MLP block (up and gate, down)", "1 attention block (q, k, v in 3 products)", "embedding %a",
                   "LM head %z"}));
  const ir::Module module   = ir::parse(std::string(test::kLlama), "test", ops::table());
  const auto interpretation = interpret::interpret_mixed(module, 0);
  const Transformer found   = recognise(module.entry(), interpretation.entry().values);
  ASSERT_EQ(found.blocks.size(), 2U);
  for (const TransformerBlock& block : found.blocks) {
    for (const Linear& linear : block.columns) EXPECT_EQ(linear.out_dim, 0);  // stored [out, in]
    for (const Linear& linear : block.rows) EXPECT_EQ(linear.in_dim, 1);
  }
}

// All experts of a layer are one block, whose weights w[e,in,out] are split as those of an MLP.
TEST(Recognise, FindsTheExpertsOfAMixture) {
  const ir::Module moe =
      test::family("moe", R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2,
                                                 "sequence": 8, "vocabulary": 12, "experts": 4})",
                   2, workload::Mode::training);
  EXPECT_EQ(recognised(moe)[0], "2 MLP blocks (up and gate, down)");
  const auto interpretation = interpret::interpret_mixed(moe, moe.functions.size() - 1);
  for (const TransformerBlock& block : recognise(moe.entry(), interpretation.entry().values).blocks) {
    if (block.kind != TransformerBlock::Kind::mlp) continue;
    for (const Linear& linear : block.columns) EXPECT_EQ(linear.out_dim, 2);
    for (const Linear& linear : block.rows) EXPECT_EQ(linear.in_dim, 1);
  }
}

TEST(Recognise, FindsAttentionToCaches) {
  const auto attention = [](const std::string& name, const std::string& sizes) {
    const Lines lines = recognised(test::family(name, sizes, 2, workload::Mode::inference));
    Lines found;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
                 [](const std::string& line) { return line.find("attention") != std::string::npos; });
    return found;
  };
  EXPECT_EQ(attention("gpt", R"({"layers": 2, "hidden": 16, "heads": 4, "vocabulary": 12, "phase": "decode",
                                 "context": 7})"),
            Lines{"2 attention blocks (q|k|v in one product)"});
  for (const char* kv_heads : {"1", "2", "4"}) {
    EXPECT_EQ(attention("llama", R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "vocabulary": 12,
                                     "phase": "decode", "context": 7, "kv_heads": )" +
                                     std::string(kv_heads) + "}"),
              Lines{"2 attention blocks (q, k, v in 3 products)"})
        << kv_heads;
  }
  // Cross attention of a decoder reads the keys and values of the encoder, which ran before.
  EXPECT_EQ(
      attention("t5", R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "head_size": 4,
                                "vocabulary": 12, "sequence": 8, "phase": "decode", "context": 7})"),
      (Lines{"2 attention blocks (q in one product, k and v are data)", "2 attention blocks (q, k, v in 3 products)"}));
}

TEST(Recognise, FindsTheHeadsThatAPrefillReturns) {
  EXPECT_EQ(recognised(test::family("t5", R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "head_size": 4,
                                        "vocabulary": 12, "sequence": 8, "phase": "prefill"})",
                                    2, workload::Mode::inference)),
            (Lines{"2 MLP blocks (up, down)", "2 attention blocks (q, k, v in 3 products)",
                   "4 products of returned heads", "embedding %shared.weight"}));
}

TEST(Recognise, FindsPairsOfAPerceptronAndNothingElse) {
  const ir::Module mlp = test::family("mlp", R"({"layers": 4, "hidden": 8})", 8, workload::Mode::inference);
  EXPECT_EQ(recognised(mlp)[0], "2 MLP blocks (up, down)");
  EXPECT_EQ(recognised(R"(
func @f(weight %w: Tensor[Float32, (4, 3, 3, 3)], weight %f: Tensor[Float32, (4, 6)], %x: Tensor[Float32, (2, 3, 8, 8)]) {
  %c = Conv[pads = [1, 1, 1, 1]](%x, %w)
  %r = Relu(%c)
  %g = GlobalAveragePool(%r)
  %l = Flatten(%g)
  %y = MatMul(%l, %f)
  return %y
})"),
            Lines{"output layer %f"});
}

struct Imported {
  std::string file;
  std::map<std::string, ir::Dims> shapes;
  Lines expected;
};

TEST(Recognise, FindsTheBlocksOfImportedModels) {
  const std::vector<Imported> models = {
      {"bert_vespa.onnx",
       {{"input_ids", {4, 8}}, {"attention_mask", {4, 8}}, {"token_type_ids", {4, 8}}},
       {"2 MLP blocks (up, down)", "2 attention blocks (q|k|v in one product)", "embedding %encoder.weight"}},
      {"encdec_encoder_vespa.onnx",
       {{"input_ids", {4, 8}}, {"attention_mask", {4, 8}}},
       {"1 MLP block (up, down)", "1 attention block (q|k|v in one product)", "embedding %embedding.weight"}},
      {"llama_fwd_small.onnx", {}, {"1 MLP block (up and gate, down)", "1 attention block (q, k, v in 3 products)"}}};
  for (const Imported& model : models) {
    SCOPED_TRACE(model.file);
    FOREFLOW_SHARED_OR_SKIP(path, "onnx/models/" + model.file);
    const onnx::Imported imported =
        onnx::import_model(path.string(), ops::table(), onnx::Numbers::skip, {.shapes = model.shapes, .inputs = {}});
    const ir::Module shaped = scenario::with_shapes(imported, model.shapes, "test");
    const ir::Module module = join_slices(resolve(lift_constants(shaped, ops::table())), ops::table());
    EXPECT_EQ(recognised(module), model.expected);
  }
}

}  // namespace
}  // namespace foreflow::transform::transformer_test
