// A program that repeats parts of its forward pass computes what it computed before, bit for bit, with less memory.
#include "foreflow/transform/recompute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/fp8_products.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"

namespace foreflow::recompute_test {
namespace {

using workload::Mode;

constexpr int64_t kVocabulary = 11;

struct Subject {
  std::string name, family, sizes;
  int64_t below = kVocabulary;  // integers of its data
};
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"mlp", "mlp", R"({"layers": 5, "hidden": 8})"},
      {"gpt", "gpt", R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})"},
      {"imported", "import", ""},
      {"llama", "llama",
       R"({"layers": 3, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "feed_forward": 32})"},
      {"llama_fp8", "llama",
       R"({"layers": 3, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "feed_forward": 32})"},
      {"moe", "moe",
       R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "feed_forward": 32, "experts": 2})"},
      {"bert_dropout", "bert",
       R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "dropout": 0.2})", 2},
      {"t5_dropout", "t5",
       R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "dropout": 0.2})"},
      {"vit_dropout", "vit",
       R"({"layers": 4, "hidden": 16, "heads": 4, "image": 8, "patch": 4, "classes": 11, "dropout": 0.2})"},
      {"gpt_dropout", "gpt",
       R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "dropout": 0.2})"},
  };
  return kSubjects;
}

// The graph of the export of a small GPT-2, with cross entropy as its loss.
ir::Module imported() {
  const std::string bytes =
      onnx::write_gpt2({.layers = 3, .heads = 4, .hidden = 16, .vocabulary = kVocabulary, .positions = 4});
  const onnx::Imported graph = onnx::import_bytes(bytes, "gpt2", ops::table());
  const ir::Module module    = scenario::with_shapes(graph, {{graph.inputs.front().name, {4, 1, 4}}}, "test");
  return transform::add_loss(transform::lift_constants(module, ops::table()), ops::table(), "cross_entropy");
}

ir::Module trained(const Subject& subject) {
  const ir::OpTable& ops = ops::table();
  const ir::Module model =
      subject.family == "import" ? imported() : test::family(subject.family, subject.sizes, 4, Mode::training);
  ir::Module module = transform::eliminate_dead_code(
      transform::resolve(transform::add_optimizer(transform::differentiate(model, ops), ops, "adam")));
  if (!subject.name.ends_with("_fp8")) return module;
  return transform::with_fp8_products(std::move(module), {.vocabulary = kVocabulary});
}

using Case = std::tuple<std::string, std::string>;  // subject, way

class Recomputed : public testing::TestWithParam<Case> {
 protected:
  static const Subject& subject() {
    const std::string& name = std::get<0>(GetParam());
    return *std::find_if(subjects().begin(), subjects().end(), [&](const Subject& one) { return one.name == name; });
  }
  static transform::Recompute way() { return transform::read_recompute(std::get<1>(GetParam()), "test"); }
  static ir::Module again(const ir::Module& module) { return transform::recompute(module, ops::table(), way()); }
};

size_t repeated_ops(const ir::Module& module) {
  const auto& ops = module.entry().ops;
  return static_cast<size_t>(std::count_if(
      ops.begin(), ops.end(), [](const ir::Op& op) { return op.attributes->find(transform::kRecompute) != nullptr; }));
}

TEST_P(Recomputed, ComputesTheSameNumbers) {
  const ir::Module before = trained(subject()), after = again(before);
  EXPECT_GT(repeated_ops(after), 0U);
  std::mt19937_64 random(7);
  const auto arguments = test::random_arguments(before, random, subject().below);
  const auto expected  = interpret::evaluate(before, before.functions.size() - 1, arguments);
  const auto actual    = interpret::evaluate(after, after.functions.size() - 1, arguments);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i], expected[i]) << "result " << i;
}

TEST_P(Recomputed, SurvivesTheRemovalOfWhatIsComputedTwice) {
  const ir::Module after = again(trained(subject()));
  EXPECT_EQ(repeated_ops(transform::eliminate_common_subexpressions(after)), repeated_ops(after));
}

TEST_P(Recomputed, ComputesTheSameNumbersWhenDistributed) {
  const ir::Module before = trained(subject());
  std::mt19937_64 random(7);
  const auto arguments = test::random_arguments(before, random, subject().below);
  const size_t results = before.entry().results.size();
  for (const test::Split& split :
       {test::Split{1, 2, 1, 1, "1f1b"}, test::Split{1, 1, 2, 4, "1f1b"}, test::Split{2, 2, 2, 2, "gpipe"}}) {
    if (subject().family == "import" && split.microbatches > 1) continue;  // its loss is a mean over the whole batch
    const auto expected    = test::run(test::distribute(before, split), arguments, results);
    const ir::Module after = transform::recompute(before, ops::table(), way(), split.pp);
    const auto actual      = test::run(test::distribute(after, split), arguments, results);
    for (size_t i = 0; i < results; ++i) EXPECT_EQ(actual[i], expected[i]) << to_string(split) << ", result " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryWay, Recomputed,
    testing::Values(Case{"mlp", "full"}, Case{"mlp", "block(2)"}, Case{"gpt", "selective"}, Case{"gpt", "full"},
                    Case{"gpt", "activation"}, Case{"gpt", "block(2)"}, Case{"gpt", "block(3)"},
                    Case{"imported", "selective"}, Case{"imported", "full"}, Case{"gpt_dropout", "selective"},
                    Case{"bert_dropout", "selective"}, Case{"bert_dropout", "full"}, Case{"t5_dropout", "selective"},
                    Case{"vit_dropout", "full"}, Case{"gpt_dropout", "full"}, Case{"gpt_dropout", "block(2)"},
                    Case{"llama", "activation"}, Case{"moe", "activation"}, Case{"llama_fp8", "activation"},
                    Case{"llama_fp8", "full"}, Case{"llama_fp8", "op"}, Case{"mlp", "op"}, Case{"gpt", "op"},
                    Case{"imported", "op"}, Case{"llama", "op"}, Case{"moe", "op"}, Case{"bert_dropout", "op"},
                    Case{"t5_dropout", "op"}, Case{"vit_dropout", "op"}),
    [](const auto& info) {
      std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
      std::replace_if(
          name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
      return name;
    });

TEST(Recompute, OfFusedValuesComputesTheSameNumbers) {
  const Subject llama{
      "llama", "llama",
      R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "feed_forward": 32})"};
  const ir::Module before = trained(llama);
  std::mt19937_64 random(7);
  const auto arguments = test::random_arguments(before, random, llama.below);
  const size_t results = before.entry().results.size();
  for (const char* way : {"none", "block(2)"}) {
    const ir::Module after =
        transform::recompute(before, ops::table(), transform::read_recompute(way, "test"), 2, true);
    EXPECT_GT(repeated_ops(after), 0U);
    for (const test::Split& split :
         {test::Split{1, 2, 1, 1, "1f1b"}, test::Split{1, 1, 2, 4, "1f1b"}, test::Split{2, 2, 2, 2, "zb_h1"}}) {
      const auto expected = test::run(test::distribute(before, split), arguments, results);
      const auto actual   = test::run(test::distribute(after, split), arguments, results);
      for (size_t i = 0; i < results; ++i) EXPECT_EQ(actual[i], expected[i]) << to_string(split) << ", result " << i;
    }
  }
}

TEST(Recompute, KeepsOneValueOfALayer) {
  // A layer of this kind forgets everything but its input.
  const ir::Module after =
      transform::recompute(trained(subjects()[1]), ops::table(), {transform::Recompute::Kind::blocks, 1});
  const ir::Function& f = after.entry();
  std::set<std::string> kept;
  bool backward = false;
  for (const ir::Op& op : f.ops) {
    backward = backward || (!op.is_call() && op.def->role == ir::Role::loss_gradient);
    if (!backward) continue;
    for (const ir::ValueId id : f.inputs(op)) {
      if (id != ir::ValueId::none && f.value(id).name.starts_with("h.2.") && !f.value(id).name.ends_with(".again") &&
          ir::index(id) >= f.parameters.size())
        kept.insert(f.value(id).name);
    }
  }
  EXPECT_EQ(kept, std::set<std::string>{"h.2.out"});  // the input of the next one
}

// Of one layer, whose products have the weights wq, wk, wv, wo, w1, w3 and w2 in this order.
std::set<std::string> repeated_products(const std::vector<bool>& reduced) {
  const ir::Module before = trained(subjects()[3]);
  const ir::Module after =
      transform::recompute(before, ops::table(), {transform::Recompute::Kind::op}, 1, false, reduced);
  const ir::Function& f = after.entry();
  std::set<std::string> weights;
  for (const ir::Op& op : f.ops) {
    if (op.def->product == ir::Product::none || op.attributes->int_or(transform::kRecompute, 0) != 2) continue;
    const std::string& name = f.value(f.inputs(op)[1]).name;
    if (name.starts_with("layers.1.")) weights.insert(name);
  }
  return weights;
}

TEST(Recompute, OfOpsRepeatsEverySecondProductOfALayer) {
  const std::set<std::string> expected{"layers.1.attention.wk.weight", "layers.1.attention.wo.weight",
                                       "layers.1.feed_forward.w3.weight"};
  EXPECT_EQ(repeated_products({}), expected);
}

TEST(Recompute, OfOpsKeepsWhatIsReduceScattered) {
  const ir::Module before    = trained(subjects()[3]);
  std::vector<bool> of_w_out = transform::reduce_scattered(before, 2, {.sequence = true});
  const std::set<std::string> expected{"layers.1.attention.wk.weight", "layers.1.feed_forward.w3.weight"};
  EXPECT_EQ(repeated_products(of_w_out), expected);
}

TEST(Recompute, MakesASegmentOfEachLayerHoweverManyThereAre) {
  // As a function, two layers of so many would save more calls than the longer function costs.
  constexpr int kLayers = 80;
  const Subject deep{"deep", "gpt", R"({"layers": 80, "hidden": 8, "heads": 2, "sequence": 2, "vocabulary": 11})"};
  const ir::Module after = transform::recompute(trained(deep), ops::table(), {transform::Recompute::Kind::blocks, 1});
  std::map<int64_t, std::set<std::string>> layers;  // per segment
  for (const ir::Op& op : after.entry().ops) {
    if (op.attributes->find(transform::kSegment) == nullptr) continue;
    const std::string& name = after.entry().value(after.entry().output(op, 0)).name;  // "h.7.out"
    if (name.starts_with("h."))
      layers[op.attributes->get_int(transform::kSegment)].insert(name.substr(0, name.find('.', 2)));
  }
  EXPECT_EQ(layers.size(), size_t{kLayers});
  for (const auto& [segment, names] : layers) EXPECT_EQ(names.size(), 1U) << "segment " << segment;
}

TEST(Recompute, RefusesWhatItCannotFind) {
  const ir::Module mlp = trained(subjects()[0]);
  EXPECT_THROW(transform::recompute(mlp, ops::table(), {transform::Recompute::Kind::selective}), Error);
  // What is dropped of the result of GELU stands between it and the product.
  EXPECT_THROW(
      transform::recompute(trained(*std::find_if(subjects().begin(), subjects().end(),
                                                 [](const Subject& one) { return one.name == "vit_dropout"; })),
                           ops::table(), {transform::Recompute::Kind::activation}),
      Error);
  const ir::Module forward = test::family("mlp", subjects()[0].sizes, 4, Mode::inference);
  EXPECT_THROW(transform::recompute(forward, ops::table(), {transform::Recompute::Kind::blocks}), Error);
  for (const std::string text : {"block", "block(0)", "block(x)", "some", "block(2", ""})
    EXPECT_THROW(transform::read_recompute(text, "test"), Error) << text;
}

}  // namespace
}  // namespace foreflow::recompute_test
